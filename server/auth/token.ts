import type { AuthCall, Handler } from './call.ts'
import { authErrors } from './errors.ts'
import { off } from './off.ts'
import { signInWithPassword } from './password.ts'
import { signInWithIdToken } from './providers/id-token-grant.ts'
import { exchangeCode } from './providers/pkce-grant.ts'
import { refreshSession } from './refresh.ts'

const grants = new Map<string | null, Handler>([
  ['password', signInWithPassword],
  ['refresh_token', refreshSession],
  ['id_token', signInWithIdToken],
  ['pkce', exchangeCode],
  ['web3', off(authErrors.web3Disabled)],
])

/** POST /token: what the grant_type of the query says. */
export async function issueToken(call: AuthCall): Promise<Response> {
  const grant = grants.get(call.url.searchParams.get('grant_type'))
  if (!grant) throw authErrors.unsupportedGrant()
  return grant(call)
}
