import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { send } from '#test/tables/accounts.ts'
import { visit } from '#test/visits/visit.ts'

let server: TestServer
let owner: TestUser

beforeAll(async () => {
  server = await startTestServer({ rateLimits: true, trustedProxies: 1 })
  owner = await makeUser(server, { plan: 'business' })
})
afterAll(() => server.close())

const secret = 'öpen sesame 🗝'
const destination = 'https://example.com/behind?x=1'
const single = { prefer: 'return=representation', accept: 'application/vnd.pgrst.object+json' }

interface Link extends Record<string, unknown> {
  id: string
  short_code: string
}

async function make(options: object): Promise<Link> {
  const row = { user_id: owner.id, original_url: destination, ...options }
  const { status, body } = await send(server, owner, 'POST', 'shortened_urls', row, single)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body as Link
}

const enter = (path: string, password: string, address = '192.0.2.1') =>
  fetch(`${server.url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'x-forwarded-for': address },
    body: new URLSearchParams({ password }),
  })

describe('a link with a password', () => {
  it('shows the page, takes the password once, and redirects with its cookie', async () => {
    const link = await make({ password: secret })
    expect(link).toMatchObject({ password: null, has_password: true })
    const path = `/${link.short_code}`
    const page = await visit(server.url, path)
    expect(page.status).toBe(200)
    expect(page.body).toContain('Enter the password')
    expect(page.body).not.toContain('example.com')

    const wrong = await enter(path, 'open sesame')
    expect(wrong.status).toBe(403)
    expect(wrong.headers.get('set-cookie')).toBeNull()
    expect(await wrong.text()).toContain('This is not the password')

    const right = await enter(`${path}?a=b`, secret)
    expect([right.status, right.headers.get('location')]).toEqual([303, `${path}?a=b`])
    const [cookie = '', forScans] = right.headers.getSetCookie()
    expect(forScans).toBe(cookie.replace(path, `/Q${path.toUpperCase()}`))
    expect(cookie).toMatch(
      new RegExp(`^hoplet_link_${link.id}=[0-9a-f]{64}; Path=${path}; HttpOnly; SameSite=Lax$`),
    )
    const headers = { cookie: cookie.split(';')[0] ?? '' }
    expect((await visit(server.url, path, { headers })).location).toBe(destination)
    const forged = { cookie: headers.cookie.replace(/.$/, (last) => (last === '0' ? '1' : '0')) }
    expect((await visit(server.url, path, { headers: forged })).location).toBeUndefined()

    const changed = { password: 'another' }
    await send(server, owner, 'PATCH', `shortened_urls?id=eq.${link.id}`, changed)
    await vi.waitFor(
      async () => expect((await visit(server.url, path, { headers })).location).toBeUndefined(),
      { timeout: 240_000 },
    )
    await send(server, owner, 'PATCH', `shortened_urls?id=eq.${link.id}`, { password: '' })
    await vi.waitFor(
      async () => expect((await visit(server.url, path)).location).toBe(destination),
      { timeout: 240_000 },
    )
  })

  it('keeps its password when another column changes, also by an upsert', async () => {
    const link = await make({ password: secret, external_id: 'poster-1' })
    await send(server, owner, 'PATCH', `shortened_urls?id=eq.${link.id}`, { title: 'x' })
    const upsert = { user_id: owner.id, original_url: destination, external_id: 'poster-1' }
    const merge = { prefer: 'resolution=merge-duplicates,return=representation' }
    const path = 'shortened_urls?on_conflict=user_id,external_id'
    const kept = await send(server, owner, 'POST', path, upsert, merge)
    expect(kept.body).toMatchObject([{ id: link.id, has_password: true }])
    const given = await send(server, owner, 'POST', path, { ...upsert, password: 'neu' }, merge)
    expect(given.body).toMatchObject([{ id: link.id, has_password: true, password: null }])
    await vi.waitFor(
      async () => expect((await enter(`/${link.short_code}`, 'neu')).status).toBe(303),
      { timeout: 240_000 },
    )
    const { body } = await send(server, owner, 'POST', 'rpc/create_links', {
      _links: [{ ...upsert, user_id: undefined, password: null }],
    })
    expect(body).toMatchObject([{ status: 'updated' }])
    await vi.waitFor(
      async () =>
        expect((await visit(server.url, `/${link.short_code}`)).location).toBe(destination),
      { timeout: 240_000 },
    )
  })

  it('stands nowhere in plain text', async () => {
    const plain = 'a-very-plain-password'
    const headers = { 'idempotency-key': 'once', ...single }
    const row = { user_id: owner.id, original_url: destination, password: plain }
    await send(server, owner, 'POST', 'shortened_urls', row, headers)
    await send(server, owner, 'POST', 'rpc/create_links', {
      _links: [{ original_url: destination, password: plain }],
    })
    const tables = await server.sql<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('app', 'auth')`,
    )
    for (const { name } of tables) {
      const found = await server.sql(
        `select 1 from ${name} t where t::text like '%' || $1 || '%'`,
        [plain],
      )
      expect([name, found]).toEqual([name, []])
    }
    const hashed = await server.sql<{ n: number }>(
      `select count(*)::int as n from app.shortened_urls where password_hash like '$2b$%' and password is null`,
    )
    expect(hashed[0]?.n).toBeGreaterThanOrEqual(2)
  })

  it.each(['password=eq.x', 'password=is.null', 'order=password', 'or=(password.eq.x,id.is.null)'])(
    'cannot be asked for with %s',
    async (query) => {
      const answer = await send(server, owner, 'GET', `shortened_urls?select=id&${query}`)
      expect(answer).toMatchObject({ status: 403, body: { code: '42501' } })
      const control = await send(server, owner, 'GET', 'shortened_urls?select=password&limit=1')
      expect(control.status).toBe(200)
    },
  )

  it('has at most 1,024 bytes', async () => {
    const row = { user_id: owner.id, original_url: destination }
    const longest = 'x'.repeat(1_024)
    const link = await make({ password: longest })
    expect((await enter(`/${link.short_code}`, longest)).status).toBe(303)
    for (const password of [`${longest}x`, 'ö'.repeat(513), 7]) {
      const refused = await send(server, owner, 'POST', 'shortened_urls', { ...row, password })
      expect(refused.status).toBe(400)
    }
    expect((await enter(`/${link.short_code}`, 'x'.repeat(1_000_000))).status).toBe(413)
  })
})

describe('guesses', () => {
  it(
    'from one address and from 200 are bounded, and people sign in meanwhile',
    { tags: ['extended'] },
    async () => {
      const link = await make({ password: secret })
      const path = `/${link.short_code}`
      const statuses = new Map<number, number>()
      const guess = async (n: number, address: string) => {
        const { status } = await enter(path, `guess ${n}`, address)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
      for (let n = 0; n < 1_000; n += 20)
        await Promise.all(Array.from({ length: 20 }, (_, i) => guess(n + i, '192.0.2.7')))
      expect(statuses.get(403)).toBeLessThanOrEqual(20)
      expect((statuses.get(403) ?? 0) + (statuses.get(429) ?? 0)).toBe(1_000)
      statuses.clear()
      const signsIn = fetch(`${server.url}/auth/v1/token?grant_type=password`, {
        method: 'POST',
        headers: {
          apikey: server.anonKey,
          'content-type': 'application/json',
          'x-forwarded-for': '198.51.100.1',
        },
        body: JSON.stringify({ email: owner.email, password: owner.password }),
      })
      for (let n = 0; n < 1_000; n += 20)
        await Promise.all(
          Array.from({ length: 20 }, (_, i) => guess(5_000 + n + i, `10.0.${(n + i) % 200}.9`)),
        )
      // In tests the limits do not refill.
      expect(statuses.get(403) ?? 0).toBeLessThanOrEqual(20)
      expect((await signsIn).status).toBe(200)
    },
  )
})

it('the database refuses a plain password', async () => {
  const link = await make({})
  const write = server.sql(`update app.shortened_urls set password = 'plain' where id = $1`, [
    link.id,
  ])
  await expect(write).rejects.toThrow('A password has to be hashed')
})
