import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authSettings } from '#test/auth/stand-ins/settings.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { makeAccount } from '#test/tables/accounts.ts'
import { inviteTo, makeSpace } from './space-client.ts'

// Sign-up is closed; invitations are the way in.

let serial = 0
const newEmail = () => `invited-${++serial}@example.com`

async function signUp(server: TestServer, email: string, invitation?: string) {
  const response = await fetch(`${server.url}/auth/v1/signup`, {
    method: 'POST',
    headers: { apikey: server.anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      email,
      password: 'correct horse 42',
      data: { display_name: 'Jonas', ...(invitation !== undefined && { invitation }) },
    }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe.each([
  ['where only those of admins make accounts', 'off', 422],
  ['with INVITE_SIGNUP=on', 'on', 200],
] as const)('an invitation %s', (_where, inviteSignUp, ofAnyone) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer({
      auth: authSettings({
        AUTH_DISABLE_SIGNUP: 'on',
        INVITE_SIGNUP: inviteSignUp,
        AUTH_AUTOCONFIRM: 'on',
      }),
    })
  })
  afterAll(() => server.close())

  it('of an admin makes an account, and its secret is stored nowhere', async () => {
    const space = await makeSpace(server, {
      owner: await makeAccount(server, { role: 'admin', plan: 'business' }),
    })
    const secret = await inviteTo(server, space.owner, 'editor')
    const email = newEmail()
    expect((await signUp(server, email)).status).toBe(422)
    expect((await signUp(server, email, 'a'.repeat(64))).status).toBe(422)
    const made = await signUp(server, email, secret)
    expect(made.status).toBe(200)
    const [row] = await server.sql<{ text: string }>(
      'select u::text as text from auth.users u where email = $1',
      [email],
    )
    expect(row?.text).toContain('Jonas')
    expect(row?.text).not.toContain(secret)
    const joined = await fetch(`${server.url}/rest/v1/rpc/accept_invitation`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${String(made.body['access_token'])}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ _token: secret }),
    })
    expect(joined.status).toBe(200)
    // It has been used.
    expect((await signUp(server, newEmail(), secret)).status).toBe(422)
  })

  it(`of another owner answers ${ofAnyone}`, async () => {
    const space = await makeSpace(server)
    const secret = await inviteTo(server, space.owner, 'editor')
    expect((await signUp(server, newEmail(), secret)).status).toBe(ofAnyone)
  })

  it('with an address makes an account for that address only', async () => {
    const space = await makeSpace(server, {
      owner: await makeAccount(server, { role: 'admin', plan: 'business' }),
    })
    const email = newEmail()
    const secret = await inviteTo(server, space.owner, 'editor', email)
    expect((await signUp(server, newEmail(), secret)).status).toBe(422)
    expect((await signUp(server, email, secret)).status).toBe(200)
  })
})
