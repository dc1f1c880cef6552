import * as z from 'zod'
import { type Operations, operationsOf } from '../../http/openapi.ts'
import { generateLinkBody, inviteBody } from '../admin/generate-link.ts'
import { newUserInput, userDeletionBody, userInput } from '../admin/users.ts'
import { changedClientBody, newClientBody } from '../oauth/client-metadata.ts'
import { clientAnswer, factorAnswer, linkAnswer, userAnswer } from './answers.ts'

const accounts = operationsOf('Accounts')
const clients = operationsOf('Registered apps')
const page = z.object({ page: z.int().optional(), per_page: z.int().optional() })
const wayBack = z.object({ redirect_to: z.string().optional() })

export const adminOperations = {
  'GET /admin/users': accounts(
    'All accounts, newest first',
    z.object({ users: z.array(userAnswer), aud: z.string() }),
    { query: page },
  ),
  'POST /admin/users': accounts('Create an account', userAnswer, {
    body: newUserInput,
    needs: ['email'],
  }),
  'GET /admin/users/:user': accounts('One account', userAnswer),
  'PUT /admin/users/:user': accounts('Change an account', userAnswer, { body: userInput }),
  'DELETE /admin/users/:user': accounts('Delete an account and everything in it', z.object({}), {
    body: userDeletionBody,
  }),
  'GET /admin/users/:user/factors': accounts('Second factors of an account', z.array(factorAnswer)),
  'DELETE /admin/users/:user/factors/:factor': accounts(
    'Remove a second factor of an account',
    z.object({ id: z.uuid() }),
  ),
  'POST /admin/generate_link': accounts(
    'The link and the code that an email would have',
    linkAnswer,
    { body: generateLinkBody, needs: ['email'], query: wayBack },
  ),
  'POST /invite': accounts('Create an account and email the link to it', userAnswer, {
    body: inviteBody,
    needs: ['email'],
    query: wayBack,
  }),
  'GET /admin/oauth/clients': clients(
    'All apps, newest first',
    z.object({ clients: z.array(clientAnswer), aud: z.string() }),
    { query: page },
  ),
  'POST /admin/oauth/clients': clients(
    'Register an app',
    { 201: clientAnswer },
    { body: newClientBody },
  ),
  'GET /admin/oauth/clients/:client': clients('One app', clientAnswer),
  'PUT /admin/oauth/clients/:client': clients('Change an app', clientAnswer, {
    body: changedClientBody,
  }),
  'DELETE /admin/oauth/clients/:client': clients('Delete an app and end its sessions', {
    204: 'Deleted',
  }),
  'POST /admin/oauth/clients/:client/regenerate_secret': clients(
    'A new secret for an app',
    clientAnswer,
  ),
} satisfies Operations
