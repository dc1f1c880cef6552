import * as z from 'zod'
import { type Operations, operationsOf } from '../../http/openapi.ts'
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
import { providerAnswers, providerQuery } from './sign-in-operations.ts'

const account = operationsOf('Your account')
const factors = operationsOf('Second factors')
const nothing = z.object({})

export const accountOperations = {
  'GET /user': account('Your account', userAnswer, {
    description: 'An app gets what its scopes allow.',
  }),
  'PUT /user': account('Change your address, password or data', userAnswer, {
    description:
      'A day after the sign-in a new password needs `current_password`, or as `nonce` the code of GET /reauthenticate.',
    body: userChangeBody,
    query: z.object({ redirect_to: z.string().optional() }),
  }),
  'DELETE /user': account(
    'Delete your account and everything in it',
    { 204: 'Deleted' },
    {
      description: 'At once and for good. Needs a sign-in of the last 15 minutes, or the password.',
      body: accountDeletionBody,
    },
  ),
  'GET /reauthenticate': account('Email a code that confirms a change of password', nothing),
  'POST /logout': account(
    'Sign out',
    { 204: 'Signed out' },
    {
      query: z.object({
        scope: z
          .enum(['global', 'local', 'others'])
          .optional()
          .describe('All sessions (the default), this one, or all others'),
      }),
    },
  ),
  'GET /user/sessions': account('Where you are signed in', z.array(deviceAnswer)),
  'DELETE /user/sessions/:id': account('Sign out there', { 204: 'Signed out' }),
  'GET /user/api-keys': account('Your API keys', z.array(apiKeyAnswer)),
  'POST /user/api-keys': account(
    'Make an API key',
    { 201: z.intersection(apiKeyAnswer, z.object({ key: z.string() })) },
    { description: 'The only answer that has the key itself.', body: newApiKeyBody },
  ),
  'DELETE /user/api-keys/:id': account('Revoke an API key', { 204: 'Revoked' }),
  'GET /user/events': account('What happened to your account', z.array(eventAnswer)),
  'GET /user/export': account('All data about you', z.record(z.string(), z.unknown())),
  'GET /user/identities/authorize': account(
    'Leave for a provider, to link the account there',
    providerAnswers,
    { query: providerQuery },
  ),
  'DELETE /user/identities/:identity': account('Unlink the account of a provider', nothing),
  'POST /factors': factors('Begin to set up a second factor', enrolledAnswer, {
    body: enrollBody,
    needs: ['factor_type'],
  }),
  'DELETE /factors/:factor': factors('Remove a second factor', z.object({ id: z.uuid() })),
  'POST /factors/:factor/challenge': factors('Ask for a challenge', challengeAnswer, {
    body: challengeBody,
  }),
  'POST /factors/:factor/verify': factors('Answer a challenge', sessionAnswer, {
    body: factorAnswerBody,
  }),
} satisfies Operations
