import type { Notice } from './texts.ts'

/** Messages of the admin screens about success and failure: the specification's words where it names the case, else our own. */
export const adminNotices = {
  usersFailed: { title: 'Failed to load users' },
  userUpdated: { title: 'User updated successfully' },
  userUpdateFailed: { title: 'Failed to update user' },
  userDeleted: { title: 'User deleted successfully' },
  userDeleteFailed: { title: 'Failed to delete user' },
  linksFailed: { title: 'Failed to look up links' },
  blocked: { title: 'Blocked' },
  blockFailed: { title: 'Failed to block' },
  unblocked: { title: 'Unblocked' },
  unblockFailed: { title: 'Failed to unblock' },
  blocksFailed: { title: 'Failed to load the blocks' },
  reportsFailed: { title: 'Failed to load reports' },
  reportUpheld: { title: 'Report upheld' },
  reportDismissed: { title: 'Report dismissed' },
  reportFailed: { title: 'Failed to resolve the report' },
  payoutsFailed: { title: 'Failed to load payouts' },
  payoutMade: { title: 'Payout booked' },
  payoutNothing: { title: 'Nothing is due any more' },
  payoutFailed: { title: 'Failed to record the payout' },
  heldReleased: { title: 'Commission released' },
  heldCanceled: { title: 'Commission canceled' },
  heldFailed: { title: 'Failed to decide the commission' },
  auditFailed: { title: 'Failed to load the audit log' },
  statusFailed: { title: 'Failed to load the system status' },
  activityFailed: { title: 'Failed to load the last 30 days' },
} as const satisfies Record<string, Notice>

export const deleteUserQuestion =
  'Are you sure you want to delete this user? This action cannot be undone.'

/** The specification fixes this text of the admin dashboard's card for every state; the state is shown beside it. */
export const systemStatusCardText = 'All systems operational'

export const signInAgainTexts = {
  title: 'Please sign in again to confirm this.',
  description:
    'Please sign in again to change roles or delete. We will then finish what you started.',
  inNewTab: 'Sign in again in a new tab. Then come back here.',
} as const
