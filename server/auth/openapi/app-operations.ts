import * as z from 'zod'
import { type Operations, operationsOf } from '../../http/openapi.ts'
import { newClientBody } from '../oauth/client-metadata.ts'
import { consentBody } from '../oauth/consent.ts'
import {
  appChangeAnswer,
  appTokenAnswer,
  authorizationAnswer,
  clientAnswer,
  grantAnswer,
  userInfoAnswer,
} from './answers.ts'

const apps = operationsOf('Apps')
const yours = operationsOf('Your apps')
const wayOn = z.object({ redirect_url: z.string() })
const metadata = z.record(z.string(), z.unknown())

const authorizeQuery = z.object({
  client_id: z.string(),
  redirect_uri: z.string(),
  response_type: z.literal('code'),
  code_challenge: z.string(),
  code_challenge_method: z.enum(['S256', 'plain']).optional(),
  scope: z.string().optional(),
  state: z.string().optional(),
  nonce: z.string().optional(),
  prompt: z.string().optional(),
  resource: z.string().optional(),
})
const client = { client_id: z.string().optional(), client_secret: z.string().optional() }

export const appOperations = {
  'GET /oauth/authorize': apps(
    'Ask a person to let an app act for them',
    { 302: 'To the consent screen, or with an error back to the app' },
    { query: authorizeQuery },
  ),
  'POST /oauth/token': apps('Exchange a code, or refresh a token', appTokenAnswer, {
    description: 'An app with a secret sends it here or by HTTP Basic.',
    form: z.object({
      grant_type: z.enum(['authorization_code', 'refresh_token']),
      ...client,
      code: z.string().optional(),
      code_verifier: z.string().optional(),
      redirect_uri: z.string().optional(),
      refresh_token: z.string().optional(),
      scope: z.string().optional(),
      resource: z.string().optional(),
    }),
  }),
  'POST /oauth/revoke': apps(
    'End the session of a token',
    { 200: 'Done, whatever the token was' },
    { form: z.object({ token: z.string(), ...client }) },
  ),
  'GET /oauth/userinfo': apps('Who the app acts for', userInfoAnswer),
  'POST /oauth/userinfo': apps('The same as GET', userInfoAnswer),
  'POST /oauth/clients/register': apps(
    'Register an app (RFC 7591)',
    {
      201: z.intersection(
        clientAnswer,
        z.object({ client_id_issued_at: z.int(), client_secret_expires_at: z.int().optional() }),
      ),
    },
    { body: newClientBody },
  ),
  'GET /.well-known/openid-configuration': apps('What apps have to know of this server', metadata),
  'GET /.well-known/oauth-authorization-server': apps('The same (RFC 8414)', metadata),
  'GET /oauth/authorizations/:authorization': yours(
    'What an app asks you for',
    authorizationAnswer,
  ),
  'POST /oauth/authorizations/:authorization/consent': yours('Allow it or not', wayOn, {
    body: consentBody,
  }),
  'POST /oauth/authorizations/:authorization/release': yours(
    'Leave the request to another of your accounts',
    { 204: 'Done' },
  ),
  'GET /user/oauth/grants': yours('Apps that may act for you', z.array(grantAnswer)),
  'GET /user/oauth/changes': yours('What apps did for you', z.array(appChangeAnswer)),
  'DELETE /user/oauth/grants': yours(
    'Take back what you allowed',
    { 204: 'Taken back' },
    { query: z.object({ client_id: z.uuid() }) },
  ),
} satisfies Operations
