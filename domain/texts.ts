import type { Plan } from './plans.ts'

/** Text of a toast or a notice. */
export interface Notice {
  readonly title: string
  readonly description?: string
}

const error = (description: string) => ({ title: 'Error', description })

const invalidUrl = {
  title: 'Invalid URL',
  description: 'Please enter a valid URL starting with http:// or https://',
}

/** The notices of the specification, word for word. */
export const notices = {
  urlMissing: { title: 'Please enter a URL' },
  invalidUrl,
  customCodeCharacters: {
    title: 'Invalid Custom Code',
    description: 'Only letters, numbers, hyphens, and underscores are allowed',
  },
  customCodeLength: {
    title: 'Invalid Custom Code',
    description: 'Custom code must be between 3 and 50 characters',
  },
  customCodeTaken: {
    title: 'Code Already Taken',
    description: 'This custom code is already in use. Please try another one.',
  },
  createFailed: error('Failed to create short URL. Please try again.'),
  created: {
    title: '✨ URL Shortened!',
    description: 'Your short link is ready to share',
  },
  createdCustom: { title: '✨ URL Shortened!', description: 'Your custom link is ready!' },
  copied: { title: 'Copied!', description: 'Link copied to clipboard' },
  copyFailed: { title: 'Failed to copy', description: 'Please try again' },
  downloaded: { title: 'Downloaded!' },
  loggedIn: { title: 'Welcome back!', description: 'Successfully logged in' },
  accountCreated: { title: 'Account Created!', description: 'You can now log in' },
  loadFailed: error('Failed to load your URLs'),
  deleted: { title: 'Deleted', description: 'Link removed successfully' },
  deleteFailed: error('Failed to delete link'),
  deletedTooLate: {
    title: 'The link was kept',
    description: 'The link was clicked or deleted elsewhere',
  },
  popupMissing: {
    title: 'No Popup Selected',
    description: 'Please select a popup or disable the popup option',
  },
  updated: { title: 'Updated!', description: 'Redirect URL updated successfully' },
  updateFailed: error('Failed to update redirect URL'),
  titleSaved: { title: 'Title saved' },
  linkOff: { title: 'Link is off', description: 'Visitors are told that it is not available' },
  linkOn: { title: 'Link is active' },
  linkArchived: { title: 'Archived', description: 'The link still redirects' },
  linkUnarchived: { title: 'Back in your list' },
  tagsSaved: { title: 'Tags saved' },
  linkGone: {
    title: 'This link no longer exists',
    description: 'The link was deleted elsewhere',
  },
} as const satisfies Record<string, Notice>

/** For an unexpected error. */
export const unexpectedFailure: Notice = error('Something went wrong. Please try again.')

/** A word of the site's own, which no link can have. */
export const reservedCodeNotice: Notice = {
  title: 'Code Reserved',
  description: 'This word is reserved for this site. Please try another one.',
}

export const validationErrorTitle = 'Validation Error'
export const loginFailedTitle = 'Login Failed'
export const signUpFailedTitle = 'Signup Failed'

/** Messages of the forms about one field, in the specification's words. */
export const fieldMessages = {
  email: 'Invalid email address',
  password: 'Password must be at least 6 characters',
  passwordMissing: 'Please enter your password',
  code: 'Enter the six digits',
  factorName: 'A name must be at most 100 characters',
  keyName: 'Please give the key a name',
  phone: 'Please enter a phone number',
  displayName: 'Display name must be at most 100 characters',
  referralCode: 'Referral code must be at most 64 characters',
} as const

/** Requirements of a new password. */
export const passwordHint = 'At least 6 characters, and not a common password.'

export const loginRequired = {
  title: 'Login Required',
  description:
    'You need to be logged in to create shortened links. Sign in to your account or create a new one to get started.',
  cancel: 'Cancel',
  confirm: 'Go to Login',
  signUp: 'Create free account',
  kept: 'Your link is saved and will be ready when you sign up.',
} as const

/** After a sign-up. An account with an unconfirmed address cannot log in yet. */
export function accountCreatedNotice(isConfirmed: boolean, isSignedIn: boolean): Notice {
  if (isSignedIn) return { title: notices.accountCreated.title, description: 'You are logged in' }
  if (isConfirmed) return notices.accountCreated
  return {
    title: notices.accountCreated.title,
    description: 'Open the link in our email, then log in',
  }
}

/** The account was opened; only the referral code did not count. */
export function referralCodeUnknown(code: string): Notice {
  return {
    title: 'Referral code not found',
    description: `No account has the code ${code}: no referral counted. Your account is ready all the same.`,
  }
}

/** A refused create, as can_create_url answers it and as the database raises it (SQLSTATE P0001). */
export interface LimitReached {
  readonly limit: number
  readonly limitType: 'daily' | 'lifetime'
  readonly plan: Plan
  readonly kind: 'custom' | 'url'
}

/** The notice of a reached limit. The words "your today limit" are the specification's own. */
export function limitReachedNotice({ limit, limitType, plan, kind }: LimitReached): Notice {
  const over = limitType === 'daily' ? 'today' : 'total'
  const what = kind === 'custom' ? 'custom codes' : 'shortened URLs'
  const advice =
    plan === 'free'
      ? 'Upgrade to Pro or delete existing links to continue.'
      : 'Please try again tomorrow or delete existing links.'
  return {
    title: 'Limit Reached',
    description: `You've reached your ${over} limit of ${limit} ${what}. ${advice}`,
  }
}

export function qrLimitReachedNotice(limit: number): Notice {
  return {
    title: 'QR Code Limit Reached',
    description: `You've reached your daily limit of ${limit} QR codes. Please try again tomorrow.`,
  }
}

/** Messages of the upgrade screen about payments. */
export const planNotices = {
  paymentSuccessful: { title: 'Payment successful!' },
  checkoutFailed: error('Failed to start checkout. Please try again.'),
  portalFailed: error('Failed to open subscription management. Please try again.'),
} as const satisfies Record<string, Notice>

/** The words around the plans of the upgrade screen. */
export const upgradeTexts = {
  included: 'All plans include secure HTTPS links and unlimited redirects.',
  given: 'Complimentary plan. You won’t be charged.',
  notChecked: 'Your subscription could not be checked. This is the plan in force.',
  otherPlanSet: 'You pay for this plan, and an admin has set another one for you.',
  onHold: 'A payment of your subscription is disputed or not confirmed, so this plan is on hold.',
  playMoneyVoid:
    'Your paid plan was bought with play money, which this server no longer accepts. You are on the free plan now; nothing was ever charged.',
  openElsewhere:
    'The payment page is open in another tab. Your plan changes here as soon as it is done there.',
  enterprise: 'Contact us for enterprise plans.',
  limits:
    'Limits reset at 00:00 UTC. On Free, deleting a link frees a slot: at once without clicks, else after 30 days. Clicks and visits are counted on every plan.',
  playMoney:
    'This server takes play money: you can try the paid plans, and nothing is charged. Your links stay real.',
  noPayments:
    'Payments are not set up on this server, so paid plans cannot be bought here. An admin of this server can give you one.',
} as const

/** The mark on the bio pages and popups of free accounts. */
export const madeWith = 'Made with Hoplet'

/** Messages of the bio page editor about success and failure. */
export const bioNotices = {
  loadFailed: error('Failed to load bio page'),
  saveFailed: error('Failed to save bio page'),
  required: { title: 'Please fill in slug and title' },
  saved: { title: 'Success', description: 'Bio page saved successfully!' },
  avatarFailed: { title: 'Failed to upload picture' },
} as const satisfies Record<string, Notice>

/** Texts of the affiliate dashboard. */
export const affiliateNotices = {
  loadFailed: error('Failed to load affiliate data'),
  copied: { title: 'Copied!', description: 'Referral link copied to clipboard' },
  textCopied: { title: 'Copied!', description: 'Text copied to clipboard' },
} as const satisfies Record<string, Notice>

/** The notice of a chosen preset. */
export function themeAppliedNotice(themeName: string): Notice {
  return { title: 'Theme applied', description: `${themeName} theme selected` }
}

/** Messages of the bio page form about one field. */
export const bioFieldMessages = {
  required: 'Please fill in slug and title',
  slug: 'Slug must be at most 50 characters',
  title: 'Title must be at most 200 characters',
  description: 'Description must be at most 1,000 characters',
  linkTitle: 'Link title must be at most 200 characters',
  linkDates: 'The end must be after the start',
  url: invalidUrl.description,
  emailAddress: 'Please enter a valid email address',
  look: 'Please choose one of the looks',
  avatar: 'Please use a picture that was uploaded here',
  links: 'A bio page has at most 100 links.',
  socialLinks: 'A bio page has at most 50 social links.',
} as const

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
  reportFailed: { title: 'Failed to decide the report' },
  payoutsFailed: { title: 'Failed to load payouts' },
  payoutMade: { title: 'Payout booked' },
  payoutNothing: { title: 'Nothing is due any more' },
  payoutFailed: { title: 'Failed to book the payout' },
  heldReleased: { title: 'Commission released' },
  heldCanceled: { title: 'Commission canceled' },
  heldFailed: { title: 'Failed to decide the commission' },
  auditFailed: { title: 'Failed to load the audit log' },
  statusFailed: { title: 'Failed to load the system status' },
  activityFailed: { title: 'Failed to load the last 30 days' },
} as const satisfies Record<string, Notice>

/** Notices of the rules of a link. */
export const ruleNotices = {
  saved: { title: 'Rules saved' },
  saveFailed: error('Failed to save the rules'),
  expectationSaved: { title: 'Expectation saved' },
  expectationDeleted: { title: 'Expectation deleted' },
  deleteFailed: error('Failed to delete the expectation'),
} satisfies Record<string, Notice>

/** Reports that people without an account can read. */
export const changeCodeTexts = {
  intro: 'The former code still leads to the link.',
  changed: { title: 'Code changed' },
  failed: { title: 'Error', description: 'Failed to change the code' },
  released: { title: 'Code released' },
  releaseFailed: { title: 'Error', description: 'Failed to release the code' },
  releaseHint: 'A released code leads nowhere.',
} as const

export const sharedReportTexts = {
  intro: 'Anyone with the address sees its clicks, nothing else.',
  failed: { title: 'Error', description: 'Failed to change the shared report' },
  saved: { title: 'Report saved' },
  passwordTooLong: 'A password has 1 to 1,024 bytes',
  passwordSet: 'Set; type to replace it',
  noPassword: 'Without one, the address alone opens it.',
  noEnd: 'Empty: it stays open.',
  deleteHint: 'The address is void then',
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

export const deleteUserQuestion =
  'Are you sure you want to delete this user? This action cannot be undone.'

/** The specification fixes this text of the admin dashboard's card for every state; the state is shown beside it. */
export const systemStatusCardText = 'All systems operational'

export const signInAgainTexts = {
  title: 'Please sign in again to confirm this.',
  description:
    'Please sign in again to change roles or delete. We will then finish what you started.',
} as const
