import * as z from 'zod'
import type { Operations } from '../../http/openapi.ts'
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

const apps = { tag: 'Apps' } as const
const yours = { tag: 'Your apps' } as const
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
  'GET /oauth/authorize': {
    ...apps,
    summary: 'Ask a person to let an app act for them',
    query: authorizeQuery,
    answers: { 302: 'To the consent screen, or with an error back to the app' },
  },
  'POST /oauth/token': {
    ...apps,
    summary: 'Exchange a code, or refresh a token',
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
    answers: { 200: appTokenAnswer },
  },
  'POST /oauth/revoke': {
    ...apps,
    summary: 'End the session of a token',
    form: z.object({ token: z.string(), ...client }),
    answers: { 200: 'Done, whatever the token was' },
  },
  'GET /oauth/userinfo': {
    ...apps,
    summary: 'Who the app acts for',
    answers: { 200: userInfoAnswer },
  },
  'POST /oauth/userinfo': {
    ...apps,
    summary: 'The same as GET',
    answers: { 200: userInfoAnswer },
  },
  'POST /oauth/clients/register': {
    ...apps,
    summary: 'Register an app (RFC 7591)',
    body: newClientBody,
    answers: {
      201: z.intersection(
        clientAnswer,
        z.object({ client_id_issued_at: z.int(), client_secret_expires_at: z.int().optional() }),
      ),
    },
  },
  'GET /.well-known/openid-configuration': {
    ...apps,
    summary: 'What apps have to know of this server',
    answers: { 200: metadata },
  },
  'GET /.well-known/oauth-authorization-server': {
    ...apps,
    summary: 'The same (RFC 8414)',
    answers: { 200: metadata },
  },
  'GET /oauth/authorizations/:authorization': {
    ...yours,
    summary: 'What an app asks you for',
    answers: { 200: authorizationAnswer },
  },
  'POST /oauth/authorizations/:authorization/consent': {
    ...yours,
    summary: 'Allow it or not',
    body: consentBody,
    answers: { 200: wayOn },
  },
  'POST /oauth/authorizations/:authorization/release': {
    ...yours,
    summary: 'Leave the request to another of your accounts',
    answers: { 204: 'Done' },
  },
  'GET /user/oauth/grants': {
    ...yours,
    summary: 'Apps that may act for you',
    answers: { 200: z.array(grantAnswer) },
  },
  'GET /user/oauth/changes': {
    ...yours,
    summary: 'What apps did for you',
    answers: { 200: z.array(appChangeAnswer) },
  },
  'DELETE /user/oauth/grants': {
    ...yours,
    summary: 'Take back what you allowed',
    query: z.object({ client_id: z.uuid() }),
    answers: { 204: 'Taken back' },
  },
} satisfies Operations
