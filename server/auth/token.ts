import type { AuthCall, Handler } from './call.ts'
import { authErrors } from './errors.ts'
import { limited, policies } from './limits.ts'
import { off } from './off.ts'
import { signInWithPassword } from './password.ts'
import { captchaChecked } from './protection/captcha.ts'
import { signInWithIdToken } from './providers/id-token-grant.ts'
import { exchangeCode } from './providers/pkce-grant.ts'
import { refreshSession } from './refresh.ts'

/** The refresh grant counts for itself what does not come from a session: many tabs share one address. */
const grants = new Map<string | null, Handler>([
  ['refresh_token', refreshSession],
  ['password', limited(policies.token, captchaChecked(signInWithPassword))],
  ['id_token', limited(policies.token, captchaChecked(signInWithIdToken))],
  ['pkce', limited(policies.token, exchangeCode)],
  ['web3', limited(policies.token, off(authErrors.web3Disabled))],
])
const unsupported = limited(policies.token, off(authErrors.unsupportedGrant))

/** POST /token: what the grant_type of the query says. */
export function issueToken(call: AuthCall): Promise<Response> {
  const grant = grants.get(call.url.searchParams.get('grant_type')) ?? unsupported
  return grant(call)
}
