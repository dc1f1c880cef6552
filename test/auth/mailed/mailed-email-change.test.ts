import { afterAll, beforeAll, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { type MailingServer, pressLink, startMailingServer } from './mailbox.ts'
import { newEmail, officialClient, request, signIn } from '../requests.ts'

// Each flow as the official client drives it, with mails that went over SMTP.

let server: MailingServer
beforeAll(async () => {
  const { auth } = createConfig(parseVariables({}))
  server = await startMailingServer({ auth: { ...auth, autoconfirm: false } })
})
afterAll(() => server.close())

const password = 'correct horse 42'

async function confirmedPerson(email = newEmail()) {
  const client = officialClient(server)
  await client.signUp({ email, password })
  const { secret } = secretOf((await server.mailFor(email)).link)
  const { data, error } = await client.verifyOtp({ type: 'signup', token_hash: secret })
  if (error || !data.user) throw new Error('the sign-up was not confirmed')
  return { email, client, id: data.user.id }
}

function secretOf(link: string): { secret: string; type: string; redirectTo: string } {
  const { searchParams } = new URL(link)
  return {
    secret: searchParams.get('token') ?? '',
    type: searchParams.get('type') ?? '',
    redirectTo: searchParams.get('redirect_to') ?? '',
  }
}

it('updateUser({email}) changes the address once both addresses have agreed, in either order', async () => {
  for (const order of [
    ['old', 'new'],
    ['new', 'old'],
  ] as const) {
    const { email, client, id } = await confirmedPerson()
    const wanted = newEmail()
    const { data, error } = await client.updateUser({ email: wanted })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ email, new_email: wanted })
    const links = {
      old: secretOf((await server.mailFor(email)).link),
      new: secretOf((await server.mailFor(wanted)).link),
    }
    expect((await server.mailFor(email)).parsed.text).toContain(wanted)
    const first = await client.verifyOtp({
      type: 'email_change',
      token_hash: links[order[0]].secret,
    })
    expect(first.error).toBeNull()
    expect(first.data.session).toBeNull()
    expect((await client.getUser()).data.user?.email).toBe(email)
    const second = await client.verifyOtp({
      type: 'email_change',
      token_hash: links[order[1]].secret,
    })
    expect(second.data.user).toMatchObject({ id, email: wanted })
    expect(second.data.user?.new_email).toBeUndefined()
    expect(second.data.user?.identities?.[0]?.identity_data).toMatchObject({ email: wanted })
    expect((await signIn(server, wanted, password)).status).toBe(200)
    expect((await signIn(server, email, password)).status).toBe(400)
  }
})

it('a change of email answers the first of the two with {msg, code}, by link with a message', async () => {
  const { email, client } = await confirmedPerson()
  const wanted = newEmail()
  await client.updateUser({ email: wanted })
  const { secret } = secretOf((await server.mailFor(email)).link)
  const { status, body } = await request(server, '/verify', {
    body: { type: 'email_change', token_hash: secret },
  })
  expect([status, body]).toEqual([
    200,
    {
      msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
      code: '200',
    },
  ])
  // Resent to the one that has not agreed, and pressed.
  expect((await client.resend({ type: 'email_change', email })).error).toBeNull()
  expect(await server.mailsFor(wanted)).toHaveLength(2)
  const { fragment } = await pressLink(server, (await server.mailFor(wanted)).link)
  expect(fragment.get('type')).toBe('email_change')
})
