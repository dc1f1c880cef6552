import * as z from 'zod'
import type { Operations } from '../../http/openapi.ts'
import { accountDeletionBody } from '../account.ts'
import { newApiKeyBody } from '../api-keys.ts'
import { challengeBody } from '../factors/challenge.ts'
import { enrollBody } from '../factors/enroll.ts'
import { factorAnswerBody } from '../factors/verify.ts'
import { userChangeBody } from '../user.ts'
import {
  apiKeyAnswer,
  challengeAnswer,
  deviceAnswer,
  enrolledAnswer,
  eventAnswer,
  sessionAnswer,
  userAnswer,
} from './answers.ts'
import { signInOperations } from './sign-in-operations.ts'

const account = { tag: 'Your account' } as const
const factors = { tag: 'Second factors' } as const
const nothing = z.object({})

export const accountOperations = {
  'GET /user': {
    ...account,
    summary: 'Your account',
    description: 'An app gets what its scopes allow.',
    answers: { 200: userAnswer },
  },
  'PUT /user': {
    ...account,
    summary: 'Change your address, password or data',
    description:
      'A day after the sign-in a new password needs `current_password`, or as `nonce` the code of GET /reauthenticate.',
    body: userChangeBody,
    query: z.object({ redirect_to: z.string().optional() }),
    answers: { 200: userAnswer },
  },
  'DELETE /user': {
    ...account,
    summary: 'Delete your account and everything in it',
    description: 'At once and for good. Needs a sign-in of the last 15 minutes, or the password.',
    body: accountDeletionBody,
    answers: { 204: 'Deleted' },
  },
  'GET /reauthenticate': {
    ...account,
    summary: 'Email a code that confirms a change of password',
    answers: { 200: nothing },
  },
  'POST /logout': {
    ...account,
    summary: 'Sign out',
    query: z.object({
      scope: z
        .enum(['global', 'local', 'others'])
        .optional()
        .describe('All sessions (the default), this one, or all others'),
    }),
    answers: { 204: 'Signed out' },
  },
  'GET /user/sessions': {
    ...account,
    summary: 'Where you are signed in',
    answers: { 200: z.array(deviceAnswer) },
  },
  'DELETE /user/sessions/:id': {
    ...account,
    summary: 'Sign out there',
    answers: { 204: 'Signed out' },
  },
  'GET /user/api-keys': {
    ...account,
    summary: 'Your API keys',
    answers: { 200: z.array(apiKeyAnswer) },
  },
  'POST /user/api-keys': {
    ...account,
    summary: 'Make an API key',
    description: 'The only answer that has the key itself.',
    body: newApiKeyBody,
    answers: { 201: z.intersection(apiKeyAnswer, z.object({ key: z.string() })) },
  },
  'DELETE /user/api-keys/:id': {
    ...account,
    summary: 'Revoke an API key',
    answers: { 204: 'Revoked' },
  },
  'GET /user/events': {
    ...account,
    summary: 'What happened to your account',
    answers: { 200: z.array(eventAnswer) },
  },
  'GET /user/export': {
    ...account,
    summary: 'All data about you',
    answers: { 200: z.record(z.string(), z.unknown()) },
  },
  'GET /user/identities/authorize': {
    ...signInOperations['GET /authorize'],
    ...account,
    summary: 'Leave for a provider, to link the account there',
  },
  'DELETE /user/identities/:identity': {
    ...account,
    summary: 'Unlink the account of a provider',
    answers: { 200: nothing },
  },
  'POST /factors': {
    ...factors,
    summary: 'Begin to set up a second factor',
    body: enrollBody,
    needs: ['factor_type'],
    answers: { 200: enrolledAnswer },
  },
  'DELETE /factors/:factor': {
    ...factors,
    summary: 'Remove a second factor',
    answers: { 200: z.object({ id: z.uuid() }) },
  },
  'POST /factors/:factor/challenge': {
    ...factors,
    summary: 'Ask for a challenge',
    body: challengeBody,
    answers: { 200: challengeAnswer },
  },
  'POST /factors/:factor/verify': {
    ...factors,
    summary: 'Answer a challenge',
    body: factorAnswerBody,
    answers: { 200: sessionAnswer },
  },
} satisfies Operations
