import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { plantBio, plantPopupLink } from '#test/pages/plant.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { hitsOf } from './hits.ts'
import { plantLinks } from './plant.ts'
import { visit } from './visit.ts'

// Visits to addresses in which a text around the link became a part of it.

let server: TestServer
let owner: TestUser
beforeAll(async () => {
  server = await startTestServer({ rateLimits: true, trustedProxies: 1 })
  owner = await makeUser(server, { plan: 'pro' })
})
afterAll(() => server.close())

const destination = 'https://example.com/menu'
const around = (code: string) => [
  ...['.', ',', ')', ';', ':', '!', ']', '>', '*', "'", '"', '|', '%20', '%22', '%'].map(
    (text) => `/${code}${text}`,
  ),
  ...['%E2%80%8B', '%EF%BB%BF', '%C2%A0', '%C2%AD', '%E2%80%9D).', '%E3%80%82', '//'].map(
    (text) => `/${code}${text}`,
  ),
  `//${code}`,
  `/%20${code}`,
  `/${code.slice(0, 2)}%C2%AD${code.slice(2)}`,
]

const missed = async (code: string) => {
  await server.context.visits.missedCodes.flush()
  const rows = await server.sql<{ visits: number }>(
    'select visits::int from app.missed_codes where code = $1',
    [code],
  )
  return rows.map(({ visits }) => visits)
}

describe('a link with a character that a text added', () => {
  it('leads to its destination, and each visit counts', async () => {
    const [link] = await plantLinks(server.sql, [{ code: 'menu', url: destination }])
    const paths = around('menu')
    for (const path of paths) {
      const { status, location } = await visit(server.url, path)
      expect([path, status, location]).toEqual([path, 302, destination])
    }
    const head = await visit(server.url, '/MENU).', { method: 'HEAD' })
    expect([head.status, head.location]).toEqual([302, destination])
    const ahead = { headers: { 'sec-purpose': 'prefetch' } }
    expect((await visit(server.url, '/menu).', ahead)).status).toBe(503)
    await vi.waitFor(
      async () => {
        const verdicts = (await hitsOf(server.sql, link?.id ?? '')).map(({ verdict }) => verdict)
        expect(verdicts.filter((verdict) => verdict === 'counted')).toHaveLength(1)
        expect(verdicts.filter((verdict) => verdict === 'repeat')).toHaveLength(paths.length - 1)
        expect(verdicts.slice(-2)).toEqual(['head', 'prefetch'])
      },
      { timeout: 240_000 },
    )
  })

  it('keeps parameters that were added without a question mark', async () => {
    const { id, short_code: code } = await makeLink(server, owner, {
      original_url: destination,
      forward_query: 'all',
    } as object)
    for (const path of [`/${code}&utm_source=mail`, `/${code}%3Futm_source=mail`])
      expect((await visit(server.url, path)).location).toBe(`${destination}?utm_source=mail`)
    await vi.waitFor(
      async () =>
        expect((await hitsOf(server.sql, id)).map(({ utm_source }) => utm_source)).toEqual([
          'mail',
          'mail',
        ]),
      { timeout: 240_000 },
    )
  })

  it('opens its page at its own address, with popup or password, and that of a bio page', async () => {
    const { code } = await plantPopupLink(server.sql)
    const bio = await plantBio(server.sql)
    const locked = await makeLink(server, owner, { password: 'open sesame' } as object)
    for (const name of [code, bio.slug, locked.short_code]) {
      const { status, location } = await visit(server.url, `/${name})?a=b`)
      expect([status, location]).toEqual([302, `/${name}?a=b`])
      expect((await visit(server.url, `/${name}?a=b`)).status).toBe(200)
    }
    expect((await visit(server.url, `/@${bio.slug}`)).location).toBe(`/${bio.slug}`)
    expect((await visit(server.url, '/menu+).')).body).toContain('Where this short link leads')
  })

  it('is found by its former code too', async () => {
    const { id, short_code: code } = await makeLink(server, owner, { original_url: destination })
    const response = await fetch(`${server.url}/rest/v1/rpc/rename_link`, {
      method: 'POST',
      headers: { ...owner.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ _link: id, _code: `${code}-new` }),
    })
    expect(response.ok).toBe(true)
    expect((await visit(server.url, `/${code},`)).location).toBe(destination)
  })
})

describe('a code that does not exist', () => {
  it('is counted as missed without the character, and is the page 404', async () => {
    for (const path of ['/gone-menu', '/gone-menu.', '/gone-menu%E2%80%8B', '//gone-menu'])
      expect([302, 404]).toContain((await visit(server.url, path)).status)
    const { status, body } = await visit(server.url, '/gone-menu)')
    expect([status, body.includes('Oops! Page not found')]).toEqual([404, true])
    expect(await missed('gone-menu')).toEqual([5])
  })

  it('counts against the limit of misses in every spelling, and files do not', async () => {
    const by = (n: number) => ({ headers: { 'x-forwarded-for': `203.0.113.${n}` } })
    for (let i = 0; i < 30; i++)
      expect((await visit(server.url, `/made-up-${i}).`, by(1))).status).toBe(404)
    expect((await visit(server.url, '/made-up-30).', by(1))).status).toBe(429)
    for (let i = 0; i < 40; i++)
      expect((await visit(server.url, `/icon-${i}.png`, by(2))).status).toBe(404)
    expect((await visit(server.url, '/made-up).', by(2))).status).toBe(404)
  })

  it('is not looked for in other addresses', async () => {
    await plantLinks(server.sql, [{ code: 'leaflet', url: destination }])
    const others = [
      '/leaflet/below',
      '/leaflet.pdf',
      '/.leaflet',
      '/dashboard)',
      '/rest)',
      '/leafl%C3%A9t',
    ]
    for (const path of others)
      expect([path, (await visit(server.url, path)).status]).toEqual([path, 404])
    expect((await visit(server.url, '/menu).', { method: 'POST' })).status).toBe(404)
  })
})
