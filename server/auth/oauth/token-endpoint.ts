import type { AuthCall } from '../call.ts'
import { authenticateClient } from './client-auth.ts'
import type { Client } from './clients.ts'
import { exchangeAuthorizationCode } from './code-grant.ts'
import { readForm } from './form.ts'
import { oauthErrors } from './oauth-errors.ts'
import { refreshApp } from './refresh-grant.ts'

type Grant = (
  call: AuthCall,
  client: Client,
  form: ReadonlyMap<string, string>,
) => Promise<Response>

const grants = new Map<string, Grant>([
  ['authorization_code', exchangeAuthorizationCode],
  ['refresh_token', refreshApp],
])

/** POST /oauth/token: what the grant_type of the form says, for the app that sends it. */
export async function issueAppToken(call: AuthCall): Promise<Response> {
  const form = await readForm(call)
  const name = form.get('grant_type')
  if (name === undefined) throw oauthErrors.invalidRequest('grant_type is required')
  const client = await authenticateClient(call, form)
  const grant = grants.get(name)
  if (!grant) throw oauthErrors.unsupportedGrantType()
  if (!client.grant_types.includes(name)) throw oauthErrors.unauthorizedClient()
  return grant(call, client, form)
}
