import type { BucketPolicy } from '../primitives/token-bucket.ts'

/** Requests of one client address. Most figures are GoTrue's: tokens 150 and sign-ups 30 in 5 minutes, 30 at once. */
export const policies = {
  token: { name: 'auth token', burst: 30, windowSeconds: 60 },
  /** Right passwords of one account, in this process: a loop of them would take the slots of others. */
  rightPassword: { name: 'auth right password', burst: 10, windowSeconds: 60 },
  /** Genuine refreshes of one session, in this process: 20 tabs at once are one person. */
  refresh: { name: 'auth refresh', burst: 3_000, windowSeconds: 60 },
  /** Refresh tokens that were not genuine. When they are used up, no token of the address is looked up. */
  forgedRefresh: { name: 'auth forged refresh', burst: 600, windowSeconds: 60 },
  signUp: { name: 'auth sign-up', burst: 30, windowSeconds: 300 },
  /** Requests that send a mail. How many mails go to one address is limited separately (email-flows/requests.ts). */
  mail: { name: 'auth mail', burst: 30, windowSeconds: 300 },
  /** Emailed links and codes that come back. Wrong codes are limited separately as well. */
  verify: { name: 'auth verify', burst: 30, windowSeconds: 300 },
  /** Leaving for a sign-in provider and coming back. */
  provider: { name: 'auth provider', burst: 60, windowSeconds: 60 },
  /** Changes of one's own account: each may cost two password hashes. */
  change: { name: 'auth change', burst: 30, windowSeconds: 300 },
  /** Second factors, 15 a minute. Wrong codes are limited separately (factors/verify.ts). */
  factor: { name: 'auth factor', burst: 30, windowSeconds: 120 },
  /** An export reads all of a person's data. */
  export: { name: 'auth export', burst: 10, windowSeconds: 3_600 },
  /** Requests of apps. One with a separate server sends all its people's requests from one address. */
  app: { name: 'auth app', burst: 120, windowSeconds: 60 },
  /** The description of the door. */
  document: { name: 'auth document', burst: 60, windowSeconds: 60 },
  /** Each registration leaves a row that stays. */
  registration: { name: 'auth registration', burst: 10, windowSeconds: 3_600 },
} satisfies Record<string, BucketPolicy>

export type LimitName = keyof typeof policies
