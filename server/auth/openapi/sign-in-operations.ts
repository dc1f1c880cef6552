import * as z from 'zod'
import type { Operations } from '../../http/openapi.ts'
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
const providerQuery = z.object({
  provider: z.string().describe('One of `external` in the settings'),
  redirect_to: z.string().optional(),
  scopes: z.string().optional(),
  code_challenge: z.string().optional(),
  code_challenge_method: z.enum(['s256', 'plain']).optional(),
  skip_http_redirect: z.literal('true').optional().describe('Answers 200 with `url` instead'),
})
const away = z.object({ url: z.string() }).describe('With `skip_http_redirect=true`')

const signIn = { tag: 'Signing in' } as const
const mail = { ...signIn, query: wayBack, body: mailRequest, needs: ['email'] } as const
const token = { ...signIn, answers: { 200: sessionAnswer } } as const
const provider = { ...signIn, query: providerQuery } as const

export const signInOperations = {
  'POST /signup': {
    ...mail,
    summary: 'Sign up',
    description: 'A session at once, or, where addresses are confirmed, a user and an email.',
    body: signUpBody,
    needs: ['email', 'password'],
    answers: { 200: z.union([sessionAnswer, userAnswer]) },
  },
  'POST /token': {
    ...token,
    summary: 'Start or continue a session',
  },
  'POST /token?grant_type=password': {
    ...token,
    summary: 'password',
    body: passwordGrantBody,
    needs: ['email', 'password'],
  },
  'POST /token?grant_type=refresh_token': {
    ...token,
    summary: 'refresh_token',
    body: refreshGrantBody,
    needs: ['refresh_token'],
  },
  'POST /token?grant_type=id_token': {
    ...token,
    summary: 'id_token',
    body: idTokenGrantBody,
    needs: ['id_token'],
  },
  'POST /token?grant_type=pkce': {
    ...token,
    summary: 'pkce',
    body: pkceGrantBody,
    needs: ['auth_code', 'code_verifier'],
  },
  'POST /token?grant_type=web3': 'refused',
  'POST /sso': 'refused',
  'POST /recover': {
    ...mail,
    summary: 'Email a link to set a new password',
    answers: { 200: nothing },
  },
  'POST /otp': {
    ...mail,
    summary: 'Email a link and a code to sign in',
    answers: { 200: nothing },
  },
  'POST /magiclink': { ...mail, summary: 'The same as /otp', answers: { 200: nothing } },
  'POST /resend': {
    ...mail,
    summary: 'Send the email of a sign-up or of a new address again',
    body: resendRequest,
    needs: ['type', 'email'],
    answers: { 200: nothing },
  },
  'GET /verify': {
    ...signIn,
    summary: 'The page that an emailed link opens',
    query: linkQuery,
    answers: { 200: { media: 'text/html', says: 'A page with a button' } },
  },
  'POST /verify': {
    ...signIn,
    summary: 'Redeem an emailed link or code',
    body: verifyBody,
    needs: ['type'],
    answers: { 200: z.union([sessionAnswer, z.object({ msg: z.string(), code: z.string() })]) },
  },
  'GET /authorize': {
    ...provider,
    summary: 'Leave for a provider, to sign in with the account there',
    answers: { 200: away, 302: 'To the provider' },
  },
  'GET /callback': {
    ...signIn,
    summary: 'Come back from a provider',
    answers: { 303: 'To the page that asked' },
  },
  'POST /callback': {
    ...signIn,
    summary: 'Come back from a provider that sends a form',
    answers: { 303: 'To GET /callback' },
  },
  'GET /settings': {
    tag: 'This server',
    summary: 'Which ways to sign in there are',
    answers: { 200: settingsAnswer },
  },
  'GET /health': {
    tag: 'This server',
    summary: 'Whether the door answers',
    answers: { 200: z.object({ name: z.string(), description: z.string() }) },
  },
  'GET /openapi.json': {
    tag: 'This server',
    summary: 'This document',
    answers: { 200: { media: 'application/openapi+json', says: 'The document' } },
  },
  'GET /.well-known/jwks.json': {
    tag: 'This server',
    summary: 'The public keys that verify access tokens',
    answers: { 200: z.object({ keys: z.array(anything) }) },
  },
} satisfies Operations
