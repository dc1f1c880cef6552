import { afterAll, beforeAll, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { type MailingServer, pressLink, startMailingServer } from './mailed/mailbox.ts'
import { newEmail, refresh, request, signIn } from './requests.ts'

let server: MailingServer
beforeAll(async () => {
  const { auth } = createConfig(parseVariables({}))
  server = await startMailingServer({ auth: { ...auth, autoconfirm: false } })
})
afterAll(() => server.close())

const password = 'correct horse 42'
const data = { display_name: 'Ada' }

const byOperator = (method: 'POST' | 'PUT', path: string, body: object) =>
  request(server, `/admin/users${path}`, { method, token: server.serviceRoleKey, body })

/** A person who has pressed the link of the sign-up, or has not. */
async function signUp(isConfirmed: boolean) {
  const email = newEmail()
  const { body } = await request(server, '/signup', { body: { email, password, data } })
  const { link } = await server.mailFor(email)
  if (isConfirmed) expect((await pressLink(server, link)).status).toBe(303)
  return { email, id: String(body['id']) }
}

/** The person of an address comes in by a mailed link. @returns the account that they see */
async function comeByMail(path: string, email: string) {
  expect((await request(server, path, { body: { email } })).status).toBe(200)
  const { fragment } = await pressLink(server, (await server.mailFor(email)).link)
  return (await request(server, '/user', { token: fragment.get('access_token') ?? '' })).body
}

it.each(['/recover', '/otp'])(
  'the server keeps the password when the operator has changed the address and its owner comes by %s',
  async (path) => {
    const { email, id } = await signUp(true)
    const before = await signIn(server, email, password)
    const next = newEmail()
    expect((await byOperator('PUT', `/${id}`, { email: next })).status).toBe(200)
    expect((await refresh(server, before.body['refresh_token'])).status).toBe(400)
    expect((await signIn(server, next, password)).status).toBe(200)
    expect(await comeByMail(path, next)).toMatchObject({ id, email: next, user_metadata: data })
    expect((await signIn(server, next, password)).status).toBe(200)
  },
)

it('the server clears a stranger’s data from an account that the operator says a stranger opened', async () => {
  const email = newEmail()
  const unconfirmed = { email_confirm: false, user_metadata: data }
  const made = await byOperator('POST', '', { email, password, ...unconfirmed })
  expect(await comeByMail('/otp', email)).toMatchObject({ id: made.body['id'], user_metadata: {} })
  expect((await signIn(server, email, password)).status).toBe(400)

  const changed = await signUp(true)
  const next = newEmail()
  await byOperator('PUT', `/${changed.id}`, { email: next, email_confirm: false })
  expect(await comeByMail('/otp', next)).toMatchObject({ id: changed.id, user_metadata: {} })
  expect((await signIn(server, next, password)).status).toBe(400)
})

it('the server does not confirm an address when the operator changes something else of the account', async () => {
  const { email, id } = await signUp(false)
  await byOperator('PUT', `/${id}`, { email, user_metadata: { note: 'seen' } })
  await byOperator('PUT', `/${id}`, { app_metadata: { team: 'red' } })
  expect(await comeByMail('/recover', email)).toMatchObject({ id, user_metadata: {} })
  expect((await signIn(server, email, password)).status).toBe(400)
})
