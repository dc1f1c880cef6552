import { hashSync } from 'bcryptjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { newEmail, request } from './requests.ts'

let server: TestServer
let owner: TestUser
beforeAll(async () => {
  server = await startTestServer({ rateLimits: true, trustedProxies: 1 })
  owner = await makeUser(server, { plan: 'pro' })
})
afterAll(() => server.close())

/** As most keyboards send it, and as macOS names files. */
const password = 'zwölf Bäume é'
const [composed, decomposed] = [password.normalize('NFC'), password.normalize('NFD')]
/** Around a password that was copied from a chat. */
const copied = [`${composed} `, ` ${decomposed}\n`, `${composed}\u200b`, `\u00a0${composed}`]

describe('an account', () => {
  const statusOf = async (email: string, typed: string) =>
    (
      await request(server, '/token?grant_type=password', {
        body: { email, password: typed },
      })
    ).status

  it.each([
    ['composed', composed],
    ['decomposed', decomposed],
  ])('opens with its password in both forms, made with %s letters', async (_, made) => {
    const email = newEmail()
    expect((await request(server, '/signup', { body: { email, password: made } })).status).toBe(200)
    for (const typed of [composed, decomposed]) expect(await statusOf(email, typed)).toBe(200)
    // Its blanks are part of it.
    expect(await statusOf(email, `${composed} `)).toBe(400)
  })

  it('opens with a password that was hashed as it was typed, before November 2026', async () => {
    for (const old of [composed, decomposed]) {
      const { email, id } = await makeUser(server)
      await server.sql('update auth.users set encrypted_password = $2 where id = $1', [
        id,
        hashSync(old, 4),
      ])
      for (const typed of [composed, decomposed]) expect(await statusOf(email, typed)).toBe(200)
      expect(await statusOf(email, 'zwolf Baume e')).toBe(400)
    }
  })

  it('does not take a password for another one in the other form, or for a longer one', async () => {
    const { headers } = await makeUser(server, { password: composed })
    const same = await request(server, '/user', {
      method: 'PUT',
      headers,
      body: { password: decomposed },
    })
    expect([same.status, same.body['code']]).toEqual([422, 'same_password'])
    // Six characters of a keyboard are three letters.
    const short = { email: newEmail(), password: 'öéñ'.normalize('NFD') }
    expect((await request(server, '/signup', { body: short })).body['code']).toBe('weak_password')
  })

  it('counts one guess for both forms', async () => {
    const { email } = await makeUser(server)
    for (let i = 0; i < 5; i++) expect(await statusOf(email, `falsch ö ${i}`)).toBe(400)
  })
})

const enter = async (path: string, typed: string) => {
  const { status } = await fetch(server.url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'x-forwarded-for': '192.0.2.1', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ password: typed }),
  })
  return status
}

async function shareReport(made: string): Promise<{ id: string; path: string }> {
  const link = await makeLink(server, owner)
  const response = await fetch(`${server.url}/rest/v1/shared_reports?select=id,token`, {
    method: 'POST',
    headers: {
      ...owner.headers,
      'content-type': 'application/json',
      prefer: 'return=representation',
      accept: 'application/vnd.pgrst.object+json',
    },
    body: JSON.stringify({ link_id: link.id, password: made }),
  })
  const { id, token } = (await response.json()) as { id: string; token: string }
  return { id, path: `/analytics/shared/${token}` }
}

async function lockLink(made: string): Promise<{ id: string; path: string }> {
  const { id, short_code } = await makeLink(server, owner, { password: made } as object)
  return { id, path: `/${short_code}` }
}

describe.each([
  ['a link', 'shortened_urls', lockLink],
  ['a shared report', 'shared_reports', shareReport],
] as const)('%s', (_, table, lock) => {
  it('opens with its password in both forms, with blanks around it too', async () => {
    for (const made of [composed, decomposed, ...copied]) {
      const { path } = await lock(made)
      for (const typed of [composed, decomposed, ...copied])
        expect([typed, await enter(path, typed)]).toEqual([typed, 303])
      expect(await enter(path, 'zwolf Baume e')).toBe(403)
    }
  })

  it('opens with a password that was hashed as it was typed, before November 2026', async () => {
    const { id, path } = await lock('another')
    const old = `${decomposed} `
    await server.sql(`update app.${table} set password_hash = $2 where id = $1`, [
      id,
      hashSync(old, 4),
    ])
    expect(await enter(path, old)).toBe(303)
    expect(await enter(path, 'another')).toBe(403)
  })

  it('may have a password of blanks alone, which is no other one', async () => {
    const { path } = await lock('   ')
    expect(await enter(path, '   ')).toBe(303)
    expect(await enter(path, '')).toBe(403)
  })
})
