/**
 * Every security event, by the name that the log and `auth.security_events` keep, with the words for the person whose
 * account it concerns. Null: the event belongs to no account, so that no person ever reads it.
 */
export const securityEvents = {
  'sign-up': 'Account created',
  'sign-up refused': null,
  'sign-up of a known address': null,
  'sign-in': 'Signed in',
  'sign-in failed': 'Sign-in with a wrong password',
  'sign-in held back': null,
  'sign-in link asked for': null,
  'recovery asked for': null,
  'mail asked for again': null,
  'mailed link opened': 'Emailed link opened',
  'mailed link refused': null,
  'mailed code refused': null,
  'captcha refused': null,
  'second factor shown': 'Second factor confirmed',
  'second factor failed': 'Wrong second factor',
  'code sent': 'Code sent by text message',
  'factor begun': 'Second factor setup started',
  'factor added': 'Second factor added',
  'factor removed': 'Second factor removed',
  'factor removed by the operator': 'Second factor removed by the operator',
  logout: 'Signed out',
  'session ended': 'Signed out of another device',
  'refresh token reused, session ended': 'Signed out: a stolen session may have been used',
  'sign-in code used twice, session ended': 'Signed out: a sign-in code was used twice',
  'password refused': 'Wrong current password',
  'reauthentication asked for': 'Confirmation code requested',
  'reauthentication failed': 'Wrong confirmation code',
  'display name changed': 'Display name changed',
  'password changed': 'Password changed',
  'address change asked for': 'Email change requested',
  'change of address half agreed': 'Email change confirmed by one address',
  'address changed': 'Email address changed',
  'profile data changed': 'Profile data changed',
  'data exported': 'Data exported',
  'account deleted': 'Account deleted',
  'account taken over by who proved its address': 'Account reset: its email address was confirmed',
  'account made by the operator': 'Account created by the operator',
  'account invited by the operator': 'Invited by the operator',
  'account changed by the operator': 'Account changed by the operator',
  'account deleted by the operator': 'Account deleted by the operator',
  'link made by the operator': 'Sign-in link created by the operator',
  'sign-in link made on the machine': 'Sign-in link created on the server',
  'identity linked': 'Sign-in provider connected',
  'identity unlinked': 'Sign-in provider disconnected',
  'provider sign-in failed': null,
  'provider sign-in refused': null,
  'api key created': 'API key created',
  'api key revoked': 'API key revoked',
  'app allowed': 'App connected',
  'app refused': 'App refused',
  'app no longer allowed': 'App disconnected',
  'app signed in': 'App signed in',
  'app signed out': 'App signed out',
  'authorization code reused, session ended': 'App signed out: its code was used twice',
  'account of others refused': 'Request for an account of others refused',
  'app registered': null,
  'app changed': null,
  'app secret changed': null,
  'app removed': null,
} as const satisfies Record<string, string | null>

export type SecurityEventName = keyof typeof securityEvents

/** The words for an event's owner. An event of a newer server is shown under its name. */
export function securityEventWords(name: string): string {
  const words = Object.hasOwn(securityEvents, name)
    ? securityEvents[name as SecurityEventName]
    : undefined
  return words ?? name.charAt(0).toUpperCase() + name.slice(1)
}
