import type { SpaceRole } from '../access/space-roles.ts'
import type { Notice } from './texts.ts'

export const roleNames: Readonly<Record<SpaceRole, string>> = {
  owner: 'Owner',
  editor: 'Editor',
  viewer: 'Viewer',
}

/** Rights of a role, in words for the person who chooses one. */
export const roleWords: Readonly<Record<SpaceRole, string>> = {
  owner: 'Everything, members and billing included.',
  editor: 'Changes links, pages and popups, and reads the audience.',
  viewer: 'Sees links and reports.',
}

/** Sentences of screens around spaces. */
export const spaceTexts = {
  absent: 'There is no such space, or you are not a member',
  absentHint: 'Ask an owner of the space for an invitation.',
  lost: 'You are not a member of this space any more. Copy your text before you leave.',
  notForRole: 'Your role does not open this screen',
  notForRoleHint: 'An owner of the space can change your role.',
  viewers: 'Viewers see links and reports, not the email addresses of your audience.',
  deletion: 'All its links stop working. Links, pages, reports and its audience are gone for good.',
  shownOnce: 'The link works once, for 7 days. You won’t see it again.',
} as const

/** Sentences of the page that the link of an invitation opens. */
export const invitationTexts = {
  over: 'This invitation is over',
  overHint: 'It was used, has expired or was withdrawn. Ask for a new link.',
  failed: 'The invitation could not be loaded',
  yourSpaces: 'Your spaces:',
  signInFirst: 'Sign in or sign up first. You come back here.',
  forAnother: 'This invitation is for another email address. Sign in with that one.',
} as const

/** Messages about success and failure. */
export const spaceNotices = {
  roleRefused: {
    title: 'Your role in this space does not allow this',
    description: 'An owner may have changed it. Your text stays here.',
  },
  listFailed: { title: 'Failed to load your spaces' },
  notCreated: { title: 'The space was not created' },
  saved: { title: 'Saved', description: 'The space was updated' },
  notSaved: { title: 'The space was not changed' },
  deleted: { title: 'Space deleted' },
  notDeleted: { title: 'The space was not deleted' },
  notLeft: { title: 'You did not leave the space' },
  peopleFailed: { title: 'Failed to load the people of this space' },
  invitationsFailed: { title: 'Failed to load the invitations' },
  roleChanged: { title: 'Role changed' },
  roleNotChanged: { title: 'The role was not changed' },
  removed: { title: 'Person removed', description: 'Their keys and apps stopped working' },
  notRemoved: { title: 'The person was not removed' },
  notInvited: { title: 'The invitation was not created' },
  withdrawn: { title: 'Invitation withdrawn', description: 'Its link no longer works' },
  notWithdrawn: { title: 'The invitation was not withdrawn' },
  notJoined: { title: 'You did not join the space' },
} as const satisfies Record<string, Notice>
