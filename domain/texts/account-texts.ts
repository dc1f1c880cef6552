import { type Notice, notices } from './texts.ts'

/** Texts of the screens around signing in. */
export const accessNotices = {
  emailConfirmed: { title: 'Email confirmed', description: 'You can now log in' },
  emailChanged: { title: 'Email changed' },
  mailSent: { title: 'Email sent', description: 'Check your inbox and spam folder' },
  mailFailed: { title: 'No email was sent' },
  codeRefused: { title: 'That code is not right' },
  codeExpired: { title: 'This code has expired. Please get a new one' },
  passwordChanged: {
    title: 'Password changed',
    description: 'You were signed out everywhere else',
  },
  passwordFailed: { title: 'The password was not changed' },
  linkFailed: { title: 'This link did not work' },
  linkUsed: {
    title: 'This link did not work',
    description: 'The link was used already, or is too old. Please ask for a new one.',
  },
  signedInAs: { title: 'You are signed in' },
  halfDone: { title: 'Almost done' },
  captchaMissing: { title: 'Please confirm that you are not a robot' },
  keyFailed: { title: 'The security key was not accepted' },
  factorsFailed: { title: 'Failed to load your second factors' },
} as const satisfies Record<string, Notice>

/** Messages of the settings about success and failure. */
export const settingsNotices = {
  profileFailed: { title: 'Failed to load your profile' },
  nameSaved: { title: 'Saved', description: 'Your display name was updated' },
  nameFailed: { title: 'Failed to save your display name' },
  clicksSaved: { title: 'Saved' },
  clicksFailed: { title: 'Failed to save this setting' },
  emailSent: {
    title: 'Confirm the new address',
    description: 'Follow the links in our emails',
  },
  emailFailed: { title: 'The email address was not changed' },
  factorAdded: { title: 'Second factor added', description: 'You were signed out everywhere else' },
  factorFailed: { title: 'The second factor was not added' },
  factorRemoved: { title: 'Second factor removed' },
  factorRemoveFailed: { title: 'Failed to remove the second factor' },
  identitiesFailed: { title: 'Failed to load your linked sign-ins' },
  linkFailed: { title: 'The sign-in was not linked' },
  unlinked: { title: 'Sign-in unlinked' },
  unlinkFailed: { title: 'The sign-in was not unlinked' },
  sessionsFailed: { title: 'Failed to load your sessions' },
  sessionEnded: { title: 'Signed out there' },
  sessionsEnded: { title: 'Signed out everywhere else' },
  sessionEndFailed: { title: 'Failed to sign out there' },
  eventsFailed: { title: 'Failed to load the recent activity' },
  appsFailed: { title: 'Failed to load your connected apps' },
  appChangesFailed: { title: 'Failed to load what apps have done' },
  appRevoked: { title: 'Access revoked', description: 'The app can no longer act for you' },
  appRevokeFailed: { title: 'Failed to revoke access' },
  apiKeysFailed: { title: 'Failed to load your API keys' },
  apiKeyNotCreated: { title: 'The key was not created' },
  apiKeyRevoked: { title: 'Key revoked', description: 'The key no longer works' },
  apiKeyRevokeFailed: { title: 'Failed to revoke the key' },
  webhooksFailed: { title: 'Failed to load your webhooks' },
  webhookSaved: { title: 'Webhook saved' },
  webhookNotSaved: { title: 'The webhook was not saved' },
  webhookDeleted: { title: 'Webhook deleted' },
  webhookTested: { title: 'Test sent', description: 'The answer appears below' },
  webhookActFailed: { title: 'That did not work' },
  deliveriesFailed: { title: 'Failed to load the deliveries' },
  deliveryFailed: { title: 'Failed to load this delivery' },
  deliverySent: { title: 'Sent again' },
  exported: { title: 'Downloaded!' },
  exportFailed: { title: 'Failed to export your data' },
  archivesFailed: { title: 'Failed to load your archives' },
  archiveNotMade: { title: 'No archive was started' },
  deleted: { title: 'Account deleted', description: 'Everything in it is gone' },
  deleteFailed: { title: 'Your account was not deleted' },
} as const satisfies Record<string, Notice>

/** After an email was asked for on a server that writes them into files: to people who can read its log. */
export const loggedMail = {
  heading: 'Look into the server’s log',
  text: 'This server sends no email. Its log names the link. The folder outbox has the email with the code.',
}

/** In place of a form that asks for an email, on a server that sends none. */
export const noMail = 'This server sends no email. Please ask its operator.'

/** On the screens around signing in, where the browser blocks storage. */
export const storageBlocked =
  'This browser blocks site data. Please allow site data to sign in. Otherwise a reload signs you out.'

/** An email to the same address was asked for a moment ago. */
export function mailTooSoon(seconds: number): string {
  return `We have just sent an email to this address. Look into your mailbox, or ask for another one in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
}

/** A mailed link was opened in another browser than the one that asked for it. */
export const otherBrowser = {
  title: 'This link belongs to another browser',
  intro:
    'Nothing is lost. Go back to the browser or app that you asked for the email with, and do one of these there:',
  ways: ['Type the six-digit code from the email.', 'Or open the link from the email.'],
} as const

/** The same answer for every address: it does not tell whether there is an account. */
export const forgotAnswer =
  'If there is an account with this address, an email with a link and a code is on its way.'

export const deleteAccountWarning =
  'Your links, bio page, popups and counts go with your account, at once and for good. Short links that you have shared stop working.'

export const loginFailedTitle = 'Login Failed'
export const signUpFailedTitle = 'Signup Failed'

/** Requirements of a new password. */
export const passwordHint = 'At least 6 characters, and not a common password.'

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
    description: `No account has the code ${code}: no referral counted. Your account is ready.`,
  }
}

/** The sign-in of a server without passwords. */
export const providerSignIn = {
  intro: 'With the account of your organization.',
  /** The claims of the session were due, and the provider wants to see the person. */
  again: 'Your organization asks you to sign in again.',
  failed:
    'The sign-in did not work. The provider may be down: try again in a moment. Open sessions go on.',
  unknown: 'The ways to sign in could not be loaded. Reload the page.',
}
