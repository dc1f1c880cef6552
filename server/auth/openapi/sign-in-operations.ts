import * as z from 'zod'
import { type Operations, operationsOf } from '../../http/openapi.ts'
import { mailRequest, resendRequest } from '../email-flows/requests.ts'
import { verifyBody } from '../email-flows/verify.ts'
import { passwordGrantBody } from '../password.ts'
import { idTokenGrantBody, pkceGrantBody } from '../providers/grants.ts'
import { refreshGrantBody } from '../refresh.ts'
import { signUpBody } from '../sign-up.ts'
import { sessionAnswer, settingsAnswer, userAnswer } from './answers.ts'

const anything = z.record(z.string(), z.unknown())
const nothing = z.object({}).describe('Done, whether the address has an account or not')
const wayBack = z.object({
  redirect_to: z.string().optional().describe('Where the emailed link leads; an allowed address'),
})
const linkQuery = z.object({
  token: z.string(),
  type: z.string(),
  redirect_to: z.string().optional(),
})
export const providerQuery = z.object({
  provider: z.string().describe('One of `external` in the settings'),
  redirect_to: z.string().optional(),
  scopes: z.string().optional(),
  code_challenge: z.string().optional(),
  code_challenge_method: z.enum(['s256', 'plain']).optional(),
  skip_http_redirect: z.literal('true').optional().describe('Answers 200 with `url` instead'),
})
export const providerAnswers = {
  200: z.object({ url: z.string() }).describe('With `skip_http_redirect=true`'),
  302: 'To the provider',
}

const signIn = operationsOf('Signing in')
const server = operationsOf('This server')
const mail = { query: wayBack, body: mailRequest, needs: ['email'] }

export const signInOperations = {
  'POST /signup': signIn('Sign up', z.union([sessionAnswer, userAnswer]), {
    description: 'A session at once, or, where addresses are confirmed, a user and an email.',
    query: wayBack,
    body: signUpBody,
    needs: ['email', 'password'],
  }),
  'POST /token': signIn('Start or continue a session', sessionAnswer),
  'POST /token?grant_type=password': signIn('password', sessionAnswer, {
    body: passwordGrantBody,
    needs: ['email', 'password'],
  }),
  'POST /token?grant_type=refresh_token': signIn('refresh_token', sessionAnswer, {
    body: refreshGrantBody,
    needs: ['refresh_token'],
  }),
  'POST /token?grant_type=id_token': signIn('id_token', sessionAnswer, {
    body: idTokenGrantBody,
    needs: ['id_token'],
  }),
  'POST /token?grant_type=pkce': signIn('pkce', sessionAnswer, {
    body: pkceGrantBody,
    needs: ['auth_code', 'code_verifier'],
  }),
  'POST /token?grant_type=web3': 'refused',
  'POST /sso': 'refused',
  'POST /recover': signIn('Email a link to set a new password', nothing, mail),
  'POST /otp': signIn('Email a link and a code to sign in', nothing, mail),
  'POST /magiclink': signIn('The same as /otp', nothing, mail),
  'POST /resend': signIn('Send the email of a sign-up or of a new address again', nothing, {
    query: wayBack,
    body: resendRequest,
    needs: ['type', 'email'],
  }),
  'GET /verify': signIn(
    'The page that an emailed link opens',
    { 200: { media: 'text/html', says: 'A page with a button' } },
    { query: linkQuery },
  ),
  'POST /verify': signIn(
    'Redeem an emailed link or code',
    z.union([sessionAnswer, z.object({ msg: z.string(), code: z.string() })]),
    { body: verifyBody, needs: ['type'] },
  ),
  'GET /authorize': signIn(
    'Leave for a provider, to sign in with the account there',
    providerAnswers,
    { query: providerQuery },
  ),
  'GET /callback': signIn('Come back from a provider', { 303: 'To the page that asked' }),
  'POST /callback': signIn('Come back from a provider that sends a form', {
    303: 'To GET /callback',
  }),
  'GET /settings': server('Which ways to sign in there are', settingsAnswer),
  'GET /health': server(
    'Whether the door answers',
    z.object({ name: z.string(), description: z.string() }),
  ),
  'GET /openapi.json': server('This document', {
    200: { media: 'application/openapi+json', says: 'The document' },
  }),
  'GET /.well-known/jwks.json': server(
    'The public keys that verify access tokens',
    z.object({ keys: z.array(anything) }),
  ),
} satisfies Operations
