import { afterAll, beforeAll, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type MailingServer, startMailingServer } from './mailed/mailbox.ts'
import { officialClient } from './requests.ts'

let server: MailingServer
beforeAll(async () => {
  const { auth } = createConfig(parseVariables({}))
  server = await startMailingServer({ auth: { ...auth, autoconfirm: true } })
})
afterAll(() => server.close())

/** A person who signed in that many hours ago. */
async function signedInAgo(on: TestServer, hours: number) {
  const { id, email, password } = await makeUser(on)
  const client = officialClient(on)
  await client.signInWithPassword({ email, password })
  await on.sql(
    `update auth.sessions set created_at = now() - make_interval(hours => $2) where user_id = $1`,
    [id, hours],
  )
  return { id, email, password, client }
}

const fresh = 'a better horse 43'
const needed = { status: 403, code: 'reauthentication_needed' }

it('the server requires an emailed code for a new password, a day after the sign-in', async () => {
  const { email, client } = await signedInAgo(server, 25)
  expect((await client.updateUser({ password: fresh })).error).toMatchObject(needed)
  expect((await client.updateUser({ data: { seen: true } })).error).toBeNull()
  await client.reauthenticate()
  const { code: nonce } = await server.mailFor(email)
  // A fault of the password is said before the code is used up.
  const weak = await client.updateUser({ password: '12345', nonce })
  expect(weak.error?.code).toBe('weak_password')
  expect((await client.updateUser({ password: fresh, nonce })).error).toBeNull()
})

it('the server keeps the emailed code when the passwords are refused', async () => {
  const { email, password, client } = await signedInAgo(server, 25)
  await client.reauthenticate()
  const { code: nonce } = await server.mailFor(email)
  const change = async (more: object) =>
    (await client.updateUser({ password: fresh, nonce, ...more })).error?.code
  expect(await change({ password })).toBe('same_password')
  expect(await change({ current_password: 'guess' })).toBe('current_password_invalid')
  expect(await change({})).toBeUndefined()
})

it('the server takes an emailed code once, also of two requests at the same time', async () => {
  const { email, client } = await signedInAgo(server, 25)
  await client.reauthenticate()
  const { code: nonce } = await server.mailFor(email)
  const passwords = ['one better horse 1', 'two better horse 2']
  const answers = await Promise.all(
    passwords.map((password) => client.updateUser({ password, nonce })),
  )
  expect(answers.map(({ error }) => error?.code ?? 'done').sort()).toEqual([
    'done',
    'reauthentication_not_valid',
  ])
  const again = await client.updateUser({ password: fresh, nonce })
  expect(again.error?.code).toBe('reauthentication_not_valid')
})

it('the server accepts the old password instead', async () => {
  const { password, client } = await signedInAgo(server, 25)
  const guess = await client.updateUser({ password: fresh, current_password: 'guess' })
  expect(guess.error?.code).toBe('current_password_invalid')
  const known = await client.updateUser({ password: fresh, current_password: password })
  expect(known.error).toBeNull()
})

it('the server accepts no old password when the account has none', async () => {
  const { id, client } = await signedInAgo(server, 25)
  await server.sql('update auth.users set encrypted_password = null where id = $1', [id])
  const invented = await client.updateUser({ password: fresh, current_password: 'guess' })
  expect(invented.error).toMatchObject(needed)
})

it('the server requires nothing within the first day', async () => {
  const { client } = await signedInAgo(server, 23)
  expect((await client.updateUser({ password: fresh })).error).toBeNull()
})

it('the server requires nothing where the server sends no email', async () => {
  const silent = await startTestServer()
  const { client } = await signedInAgo(silent, 25)
  expect((await client.updateUser({ password: fresh })).error).toBeNull()
  await silent.close()
})
