import { limitKey } from '../http/client-address.ts'
import type { Policy } from '../http/rate-limit.ts'
import type { AuthCall, Handler } from './call.ts'
import { authErrors } from './errors.ts'

/** GoTrue's figures for one client address: tokens 150 in 5 minutes, sign-ups 30 in 5 minutes, 30 at once. */
export const policies = {
  token: { name: 'auth token', burst: 30, window: 60 },
  /** Genuine refreshes of one session, for this process alone: 20 tabs at once are one person. */
  refresh: { name: 'auth refresh', burst: 3_000, window: 60 },
  /** Refresh tokens of one address that were not genuine: beyond, none is looked up any more. */
  forgedRefresh: { name: 'auth forged refresh', burst: 600, window: 60 },
  signUp: { name: 'auth sign-up', burst: 30, window: 300 },
  /** Whatever sends a mail. How many mails go where is counted apart (mailed/pace.ts). */
  mail: { name: 'auth mail', burst: 30, window: 300 },
  /** Mailed links and codes that come back. How often a code may be wrong is counted apart too. */
  verify: { name: 'auth verify', burst: 30, window: 300 },
  /** Leaving for a provider and coming back. */
  provider: { name: 'auth provider', burst: 60, window: 60 },
  /** Changes of one's own account: each may cost two hashes. */
  change: { name: 'auth change', burst: 30, window: 300 },
  /** GoTrue's for second factors: 15 a minute. How often a code may be wrong is counted apart (factors/wrong-codes.ts). */
  factor: { name: 'auth factor', burst: 30, window: 120 },
  /** All of a person's data, read from the database. */
  export: { name: 'auth export', burst: 10, window: 3_600 },
  /** What an app does, or its person for it. An app with a server of its own asks for all its people from one address. */
  app: { name: 'auth app', burst: 120, window: 60 },
  /** Each leaves a row that stays. */
  registration: { name: 'auth registration', burst: 10, window: 3_600 },
} satisfies Record<string, Policy>

/** Takes one of the client's requests under `policy` before the handler runs; all servers on one database count together. */
export function limited(policy: Policy, handler: Handler): Handler {
  return async (call: AuthCall) => {
    await countRequest(call, policy)
    return handler(call)
  }
}

/** @throws {AuthError} 429 when the client's address has none left */
export async function countRequest(call: AuthCall, policy: Policy): Promise<void> {
  const wait = await call.context.budgets.take(policy, limitKey(call.caller.address))
  if (wait !== undefined) throw authErrors.tooManyRequests(wait)
}
