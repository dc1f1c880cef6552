/** Text of a toast or a notice. */
export interface Notice {
  readonly title: string
  readonly description?: string
}

/** A notice for a failure, in the specification's form. */
export const failure = (description: string) => ({ title: 'Error', description })

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
  createFailed: failure('Failed to create short URL. Please try again.'),
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
  loadFailed: failure('Failed to load your URLs'),
  deleted: { title: 'Deleted', description: 'Link removed successfully' },
  deleteFailed: failure('Failed to delete link'),
  deletedTooLate: {
    title: 'The link was kept',
    description: 'The link was clicked or deleted elsewhere',
  },
  popupMissing: {
    title: 'No Popup Selected',
    description: 'Please select a popup or disable the popup option',
  },
  updated: { title: 'Updated!', description: 'Redirect URL updated successfully' },
  updateFailed: failure('Failed to update redirect URL'),
  titleSaved: { title: 'Title saved' },
  linkOff: { title: 'Link is off', description: 'Visitors see that it is not available' },
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
export const unexpectedFailure: Notice = failure('Something went wrong. Please try again.')

/** A word of the site's own, which no link can have. */
export const reservedCodeNotice: Notice = {
  title: 'Code Reserved',
  description: 'This word is reserved for this site. Please try another one.',
}

export const validationErrorTitle = 'Validation Error'

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

export const loginRequired = {
  title: 'Login Required',
  description:
    'You need to be logged in to create shortened links. Sign in to your account or create a new one to get started.',
  cancel: 'Cancel',
  confirm: 'Go to Login',
  signUp: 'Create free account',
  /** Where there are no plans. */
  signUpWithoutPlans: 'Create account',
  kept: 'Your link is saved and will be ready when you sign up.',
} as const
