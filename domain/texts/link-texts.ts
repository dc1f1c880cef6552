import { failure, type Notice } from './texts.ts'

/** Notices of the rules of a link. */
export const ruleNotices = {
  saved: { title: 'Rules saved' },
  saveFailed: failure('Failed to save the rules'),
  expectationSaved: { title: 'Test saved' },
  expectationDeleted: { title: 'Test deleted' },
  deleteFailed: failure('Failed to delete the test'),
} satisfies Record<string, Notice>

/** Change of a link's code. */
export const changeCodeTexts = {
  intro: 'The old code keeps working.',
  changed: { title: 'Code changed' },
  failed: { title: 'Error', description: 'Failed to change the code' },
  released: { title: 'Code released' },
  releaseFailed: { title: 'Error', description: 'Failed to release the code' },
  releaseHint: 'A released code stops working.',
} as const

/** Reports that people without an account can read. */
export const sharedReportTexts = {
  intro: 'Anyone with the address sees its clicks, nothing else.',
  introOfTag: 'Anyone with the address sees its links and their clicks, nothing else.',
  failed: { title: 'Error', description: 'Failed to change the shared report' },
  saved: { title: 'Report saved' },
  off: 'Off: the address opens nothing.',
  noTitle: 'Empty: the title of the link.',
  noTitleOfTag: 'Empty: the name of the tag.',
  noName: 'Readers see this name. Empty: nobody is named.',
  titleInvalid: 'The title must be 1 to 200 characters, with at least one that is visible',
  nameInvalid: 'The name must be 1 to 100 characters, with at least one that is visible',
  passwordTooLong: 'Passwords are 1 to 1,024 bytes long',
  passwordSet: 'Set; type to replace it',
  noPassword: 'Anyone with the address can open it.',
  noEnd: 'Leave empty for no end.',
  deleteHint: 'The address stops working',
} as const

/** Visits to codes that have no link. */
export const missedCodeTexts = {
  intro: 'Visits to codes that you deleted, by day.',
  introOfAll: 'Visits to codes that do not exist.',
  failed: { title: 'Error', description: 'Failed to load the visits' },
  none: 'No visits to missing codes',
  noneInRange: 'Bots and repeated requests for previews are left out.',
  locked: 'Pro and Business show these visits',
} as const

/** Destinations of links that are dead, moved or have a bad certificate. */
export const linkHealthTexts = {
  intro: 'Destinations that are dead, moved or not secure.',
  failed: failure('Failed to load the destinations'),
  none: 'No problems found',
  noneHint: 'Checks run where this server has them on.',
  noneOfKind: 'No such destinations',
  updated: { title: 'Address updated' },
  updateFailed: failure('Failed to update the address'),
  checkFailed: failure('Failed to start the check'),
  checkedFine: { title: 'The destination answers now' },
  checkedAgain: { title: 'Checked again', description: 'The problem is still there.' },
  checkLate: { title: 'The check takes longer', description: 'Look again in a few minutes.' },
} satisfies Record<string, Notice | string>
