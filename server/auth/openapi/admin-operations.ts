import * as z from 'zod'
import type { Operations } from '../../http/openapi.ts'
import { generateLinkBody, inviteBody } from '../admin/generate-link.ts'
import { newUserInput, userDeletionBody, userInput } from '../admin/users.ts'
import { changedClientBody, newClientBody } from '../oauth/client-metadata.ts'
import { clientAnswer, factorAnswer, linkAnswer, userAnswer } from './answers.ts'

const accounts = { tag: 'Accounts' } as const
const clients = { tag: 'Registered apps' } as const
const page = z.object({ page: z.int().optional(), per_page: z.int().optional() })
const wayBack = z.object({ redirect_to: z.string().optional() })

export const adminOperations = {
  'GET /admin/users': {
    ...accounts,
    summary: 'All accounts, newest first',
    query: page,
    answers: { 200: z.object({ users: z.array(userAnswer), aud: z.string() }) },
  },
  'POST /admin/users': {
    ...accounts,
    summary: 'Create an account',
    body: newUserInput,
    needs: ['email'],
    answers: { 200: userAnswer },
  },
  'GET /admin/users/:user': { ...accounts, summary: 'One account', answers: { 200: userAnswer } },
  'PUT /admin/users/:user': {
    ...accounts,
    summary: 'Change an account',
    body: userInput,
    answers: { 200: userAnswer },
  },
  'DELETE /admin/users/:user': {
    ...accounts,
    summary: 'Delete an account and everything in it',
    body: userDeletionBody,
    answers: { 200: z.object({}) },
  },
  'GET /admin/users/:user/factors': {
    ...accounts,
    summary: 'Second factors of an account',
    answers: { 200: z.array(factorAnswer) },
  },
  'DELETE /admin/users/:user/factors/:factor': {
    ...accounts,
    summary: 'Remove a second factor of an account',
    answers: { 200: z.object({ id: z.uuid() }) },
  },
  'POST /admin/generate_link': {
    ...accounts,
    summary: 'The link and the code that an email would have',
    body: generateLinkBody,
    needs: ['email'],
    query: wayBack,
    answers: { 200: linkAnswer },
  },
  'POST /invite': {
    ...accounts,
    summary: 'Create an account and email the link to it',
    body: inviteBody,
    needs: ['email'],
    query: wayBack,
    answers: { 200: userAnswer },
  },
  'GET /admin/oauth/clients': {
    ...clients,
    summary: 'All apps, newest first',
    query: page,
    answers: { 200: z.object({ clients: z.array(clientAnswer), aud: z.string() }) },
  },
  'POST /admin/oauth/clients': {
    ...clients,
    summary: 'Register an app',
    body: newClientBody,
    answers: { 201: clientAnswer },
  },
  'GET /admin/oauth/clients/:client': {
    ...clients,
    summary: 'One app',
    answers: { 200: clientAnswer },
  },
  'PUT /admin/oauth/clients/:client': {
    ...clients,
    summary: 'Change an app',
    body: changedClientBody,
    answers: { 200: clientAnswer },
  },
  'DELETE /admin/oauth/clients/:client': {
    ...clients,
    summary: 'Delete an app and end its sessions',
    answers: { 204: 'Deleted' },
  },
  'POST /admin/oauth/clients/:client/regenerate_secret': {
    ...clients,
    summary: 'A new secret for an app',
    answers: { 200: clientAnswer },
  },
} satisfies Operations
