import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeApp, tokensFor } from '#test/auth/oauth/oauth-app.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { visitorNumber } from '#server/visits/record/decode-clicks.ts'
import { hitsOf } from '#test/visits/hits.ts'
import { countOf, plantLinks, type Planted } from '#test/visits/plant.ts'
import { browser, visit } from '#test/visits/visit.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ trustedProxies: 1 })
})
afterAll(() => server.close())

let planted = 0
async function makeOwner(): Promise<{ owner: TestUser; link: Planted }> {
  const owner = await makeUser(server, { plan: 'pro' })
  const links = [{ code: `own-${planted++}`, url: 'https://example.com/' }]
  const [link] = await plantLinks(server.sql, links, owner.id)
  if (!link) throw new Error('nothing planted')
  return { owner, link }
}

const otherBrowser = browser.replace('Chrome/126.0', 'Chrome/127.0')

/** A browser at an address, behind a proxy that is trusted. */
const from = (address: string, userAgent = browser) => ({
  'x-forwarded-for': `10.1.1.1, ${address}`,
  'user-agent': userAgent,
})

const use = (owner: Pick<TestUser, 'headers'>, path: string, headers: Record<string, string>) =>
  fetch(server.url + path, { headers: { ...owner.headers, ...headers } })

const browsersOf = async ({ id }: TestUser): Promise<number> => {
  const [row] = await server.sql<{ n: number }>(
    'select count(*)::int as n from app.own_visitors where user_id = $1',
    [id],
  )
  return row?.n ?? 0
}

/** Waits until all records so far are in the database. */
const recorded = () => server.context.analytics.ownBrowsers.close()

async function verdictsOf(link: Planted, count: number): Promise<string[]> {
  return vi.waitFor(
    async () => {
      const hits = await hitsOf(server.sql, link.id)
      expect(hits).toHaveLength(count)
      return hits.map(({ verdict }) => verdict)
    },
    { timeout: 60_000 },
  )
}

describe('a visit by the owner', () => {
  it.each([
    ['the table door', '/rest/v1/profiles?select=id'],
    ['a function', '/functions/v1/click-log?scope=account'],
    ['the auth door', '/auth/v1/user'],
  ])('is their own, in the browser in which they use %s', async (_door, path) => {
    const { owner, link } = await makeOwner()
    expect((await use(owner, path, from('203.0.113.7'))).status).toBe(200)
    await recorded()
    await visit(server.url, `/${link.code}`, { headers: from('203.0.113.7') })
    await visit(server.url, `/${link.code}`, { headers: from('203.0.113.7') })
    await visit(server.url, `/${link.code}`, { headers: from('203.0.113.8') })
    await visit(server.url, `/${link.code}`, { headers: from('203.0.113.7', otherBrowser) })
    expect(await verdictsOf(link, 4)).toEqual(['own', 'own', 'counted', 'counted'])
    // The count of My Links has them all.
    expect(await countOf(server.sql, link.id)).toBe(4)
  })

  it('is an ordinary one to another person’s link', async () => {
    const { owner } = await makeOwner()
    const { link } = await makeOwner()
    await use(owner, '/auth/v1/user', from('203.0.113.9'))
    await recorded()
    await visit(server.url, `/${link.code}`, { headers: from('203.0.113.9') })
    expect(await verdictsOf(link, 1)).toEqual(['counted'])
  })

  it('an own visit is known by the trusted proxy’s header, not by the client’s', async () => {
    const { owner, link } = await makeOwner()
    await use(owner, '/auth/v1/user', { 'x-forwarded-for': '198.51.100.1, 203.0.113.20' })
    await recorded()
    const headers = { 'x-forwarded-for': '203.0.113.20, 198.51.100.1' }
    await visit(server.url, `/${link.code}`, { headers })
    expect(await verdictsOf(link, 1)).toEqual(['counted'])
  })
})

describe('a browser is recorded', () => {
  it('once a day, by its hash alone', async () => {
    const { owner } = await makeOwner()
    await Promise.all(
      Array.from({ length: 20 }, () => use(owner, '/auth/v1/user', from('203.0.113.30'))),
    )
    await recorded()
    const rows = await server.sql<{ day: string; visitor: string }>(
      `select o.day::text, o.visitor from app.own_visitors o where o.user_id = $1`,
      [owner.id],
    )
    const { hash } = server.context.analytics.identify('203.0.113.30', browser).identity
    expect(rows).toEqual([
      {
        day: new Date().toISOString().slice(0, 10),
        visitor: String(visitorNumber(hash)),
      },
    ])
  })

  it('up to 50 times', async () => {
    const { owner } = await makeOwner()
    for (let i = 0; i < 55; i++) await use(owner, '/auth/v1/user', from(`203.0.113.${i + 100}`))
    await recorded()
    expect(await browsersOf(owner)).toBe(50)
  })

  it('not for an app, the service, a stranger, or a session that has ended', async () => {
    const { owner } = await makeOwner()
    const app = await makeApp(server)
    const { access_token: token } = await tokensFor(server, owner, app, 'links:read')
    await recorded()
    await server.sql('delete from app.own_visitors')
    const address = from('203.0.113.40')
    const asApp = { headers: { authorization: `Bearer ${token}`, apikey: server.anonKey } }
    expect((await use(asApp, '/rest/v1/shortened_urls?select=id', address)).status).toBe(200)
    expect((await use(asApp, '/auth/v1/user', address)).status).toBe(200)
    const asService = { headers: { authorization: `Bearer ${server.serviceRoleKey}` } }
    expect((await use(asService, '/rest/v1/profiles?select=id', address)).status).toBe(200)
    const asNobody = { headers: { apikey: server.anonKey } }
    await use(asNobody, '/rest/v1/bio_pages?slug=eq.x&select=title', address)
    await server.sql('delete from auth.sessions where user_id = $1', [owner.id])
    for (const path of [
      '/auth/v1/user',
      '/rest/v1/profiles',
      '/functions/v1/click-log?scope=account',
    ])
      expect([401, 403]).toContain((await use(owner, path, address)).status)
    await recorded()
    expect(await server.sql('select * from app.own_visitors')).toEqual([])
  })
})

describe('a stranger who makes up browsers and campaigns', () => {
  const countOfVerdicts = async (link: Planted, hits: number) => {
    const counts = { counted: 0, repeat: 0 }
    for (const verdict of await verdictsOf(link, hits))
      if (verdict === 'counted' || verdict === 'repeat') counts[verdict]++
    return counts
  }
  const visitAs = (link: Planted, address: string, n: number, query = '') =>
    visit(server.url, `/${link.code}${query}`, { headers: from(address, `${browser} x${n}`) })

  it('is 101 visitors of a link in half an hour; as many from their own addresses all count', async () => {
    const { link } = await makeOwner()
    const { link: other } = await makeOwner()
    for (let n = 0; n < 130; n++) {
      await visitAs(link, '203.0.113.50', n)
      await visitAs(other, `203.0.113.${n + 60}`, n)
    }
    expect(await countOfVerdicts(link, 130)).toEqual({ counted: 101, repeat: 29 })
    expect(await countOfVerdicts(other, 130)).toEqual({ counted: 130, repeat: 0 })
  })

  it('leaves the sources of the others as they are', async () => {
    const { link } = await makeOwner()
    for (let n = 0; n < 60; n++) await visitAs(link, '203.0.113.51', 0, `?utm_source=made-up-${n}`)
    await visitAs(link, '203.0.113.52', 0, '?utm_source=newsletter')
    await verdictsOf(link, 61)
    const sources = await server.sql<{ source: string; hits: number }>(
      `select o.utm_source as source, count(*)::int as hits
        from app.click_events e join app.click_scopes s on s.id = e.scope join app.click_origins o on o.id = e.origin
        where s.ref = $1 group by 1`,
      [link.id],
    )
    const made = sources.filter(({ source }) => source.startsWith('made-up'))
    expect(made).toHaveLength(20)
    expect(sources.find(({ source }) => source === '')?.hits).toBe(40)
    expect(sources.find(({ source }) => source === 'newsletter')?.hits).toBe(1)
  })

  it(
    'that uses up the sources of a day is in the integrity report of the owner only',
    { tags: ['extended'] },
    async () => {
      const { owner, link } = await makeOwner()
      const { owner: other } = await makeOwner()
      const agent = new Agent({ keepAlive: true, maxSockets: 20 })
      const made = Array.from({ length: 2_040 }, (_, n) => n)
      await Promise.all(
        made.map((n) =>
          visit(server.url, `/${link.code}?utm_source=made-up-${n}`, {
            headers: from(`198.51.100.${n % 200}`, browser),
            agent,
          }),
        ),
      )
      agent.destroy()
      const incidentsOf = async (account: TestUser) => {
        const answer = await fetch(`${server.url}/rest/v1/rpc/click_integrity`, {
          method: 'POST',
          headers: { ...account.headers, 'Content-Type': 'application/json' },
          body: '{}',
        })
        return answer.json()
      }
      await expect
        .poll(() => incidentsOf(owner))
        .toMatchObject({ incidents: [{ kind: 'sources', seconds: 0 }] })
      expect(await incidentsOf(other)).toMatchObject({ incidents: [] })
    },
  )
})
