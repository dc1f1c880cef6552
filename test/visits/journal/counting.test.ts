import fc from 'fast-check'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { hitsOf, type StoredHit } from '../hits.ts'
import { countOf, plantLinks, type Planted } from '../plant.ts'
import { browser, visit } from '../visit.ts'

let server: TestServer
let links: Planted[]
beforeAll(async () => {
  server = await sharedServer()
  links = await plantLinks(
    server.sql,
    Array.from({ length: 50 }, (_, i) => ({
      code: `counted-${i}`,
      url: `https://example.com/${i}?q=%2F&r=a+b#${i}`,
    })),
  )
})
async function recorded(id: string, hits: number): Promise<StoredHit[]> {
  return vi.waitFor(
    async () => {
      const found = await hitsOf(server.sql, id)
      expect(found).toHaveLength(hits)
      return found
    },
    { timeout: 240_000 },
  )
}

let next = 0
async function freshLink(): Promise<Planted> {
  const [link] = await plantLinks(server.sql, [
    { code: `fresh-${next++}`, url: 'https://example.com/fresh' },
  ])
  if (!link) throw new Error('nothing planted')
  return link
}

describe('counting', () => {
  it('counts a visit once', async () => {
    const { id, code } = await freshLink()
    await visit(server.url, `/${code}`, { headers: { referer: 'https://social.example/feed' } })
    expect(await recorded(id, 1)).toMatchObject([
      {
        verdict: 'counted',
        source: 'link',
        referrer: 'social.example',
        page: 'social.example/feed',
        device: 'desktop',
        browser: 'Chrome',
        bot: '',
      },
    ])
    expect(await countOf(server.sql, id)).toBe(1)
  })

  it('keeps the first and the last moment of what it counts', async () => {
    const { id, code } = await freshLink()
    const dates = async () => {
      const [row] = await server.sql<{ first: Date | null; last: Date | null }>(
        'select first_click_at as first, last_click_at as last from app.shortened_urls where id = $1',
        [id],
      )
      return row
    }
    const before = Date.now()
    await visit(server.url, `/${code}`, { method: 'HEAD' })
    await recorded(id, 1)
    expect(await dates()).toEqual({ first: null, last: null })
    await visit(server.url, `/${code}`)
    await recorded(id, 2)
    const once = await dates()
    expect(once?.first?.getTime()).toBeGreaterThanOrEqual(before)
    expect(once?.last).toEqual(once?.first)
    await visit(server.url, `/${code}`)
    await recorded(id, 3)
    const twice = await dates()
    expect(twice?.first).toEqual(once?.first)
    expect(twice?.last?.getTime()).toBeGreaterThan(once?.first?.getTime() ?? 0)
  })

  it('records HEAD, prefetches, bots and programs without counting them', async () => {
    const { id, code } = await freshLink()
    await visit(server.url, `/${code}`, { method: 'HEAD' })
    for (const headers of [
      { 'sec-purpose': 'prefetch' },
      { 'Sec-Purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
      { 'X-moz': 'prefetch' },
      { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
      { 'user-agent': 'Mozilla/5.0 (compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)' },
      { 'user-agent': 'facebookexternalhit/1.1' },
      { 'user-agent': 'curl/8.5.0' },
      { 'user-agent': 'python-requests/2.32.3' },
      { 'user-agent': browser.replace('Chrome', 'HeadlessChrome') },
      { 'user-agent': '' },
    ]) {
      // A prefetch gets no redirect (prefetches.test.ts).
      expect((await visit(server.url, `/${code}`, { headers })).status).toBe(
        'user-agent' in headers ? 302 : 503,
      )
    }
    const hits = await recorded(id, 12)
    expect(hits.map(({ verdict }) => verdict)).toEqual([
      'head',
      'prefetch',
      'prefetch',
      'prefetch',
      'prefetch',
      'crawler',
      'monitor',
      'previewer',
      'program',
      'program',
      'program',
      'program',
    ])
    expect(hits.slice(-7).map(({ bot }) => bot)).toEqual([
      'Googlebot',
      'UptimeRobot',
      'Facebook',
      'curl',
      'python-requests',
      'HeadlessChrome',
      'No name',
    ])
    expect(await countOf(server.sql, id)).toBe(0)
  })

  it('stores nothing of what a hostile client says about itself', async () => {
    const { id, code } = await freshLink()
    const hostile = `<script>alert(1)</script>\t\u00e4${'x'.repeat(2_000)}`
    await visit(server.url, `/${code}?utm_source=${encodeURIComponent(hostile.slice(0, 100))}`, {
      headers: { 'user-agent': hostile, referer: hostile, 'accept-language': hostile },
    })
    const [hit] = await recorded(id, 1)
    expect(hit).toMatchObject({ page: '', browser: '', system: '', language: '', country: '' })
    expect(hit?.utm_source).toMatch(/^<script>alert\(1\)<\/script> .x{60,}$/)
  })

  it('accepts clicks on a link that was deleted in the meantime', async () => {
    const [{ id, code }, other] = [await freshLink(), await freshLink()]
    await visit(server.url, `/${code}`)
    await recorded(id, 1)
    // No notification reaches the cache, so visitors are still redirected.
    await server.sql(`begin; set local session_replication_role = replica;
      delete from app.shortened_urls where id = '${id}'; commit`)
    await visit(server.url, `/${code}`)
    await visit(server.url, `/${other.code}`)
    await recorded(id, 2)
    await expect.poll(() => countOf(server.sql, other.id)).toBe(1)
    await expect
      .poll(() => server.context.visits.status().clicks)
      .toMatchObject({ orphaned: 1, lost: 0, corrupt: 0 })
  })
})

describe('no request', () => {
  it(
    'changes the destination of a link: 1,000 queries, headers and suffixes',
    { tags: ['extended'] },
    async () => {
      const names = [
        'url',
        'redir_url',
        'redirect',
        'r',
        'next',
        'to',
        'original_url',
        'code',
        '__proto__',
        'key',
      ]
      const query = fc.array(
        fc.tuple(
          fc.constantFrom(...names),
          fc.oneof(fc.webUrl(), fc.string().map(encodeURIComponent)),
        ),
        { minLength: 1, maxLength: 4 },
      )
      const headerNames = [
        'host',
        'x-forwarded-host',
        'forwarded',
        'x-original-url',
        'x-rewrite-url',
        'referer',
        'cookie',
      ]
      const headers = fc.dictionary(
        fc.constantFrom(...headerNames),
        fc.constantFrom('evil.example', 'https://evil.example/'),
      )
      const requests = fc.record({
        link: fc.nat(49),
        query,
        headers,
        slash: fc.boolean(),
      })
      for (const { link, query: pairs, headers: extra, slash } of fc.sample(requests, {
        numRuns: 1_000,
        seed: 4337,
      })) {
        const { code = '', url } = links[link] ?? {}
        const search = pairs.map(([name, value]) => `${name}=${value}`).join('&')
        const answer = await visit(server.url, `/${code}${slash ? '/' : ''}?${search}`, {
          headers: extra,
        })
        expect(answer.status).toBe(302)
        expect(
          answer.rawHeaders.filter(
            (_, i) => answer.rawHeaders[i - 1]?.toLowerCase() === 'location',
          ),
        ).toEqual([url])
        expect(JSON.stringify(answer.rawHeaders)).not.toContain('evil')
      }
    },
  )

  it('2,000 odd paths do not crash the server and methods', { tags: ['extended'] }, async () => {
    const odd = fc.oneof(
      fc.constantFrom(
        '%00',
        '%ff',
        '..',
        '../../etc/passwd',
        '//',
        '%2e%2e/',
        '\u00a0',
        '%0d%0aset-cookie:a=b',
        '404',
      ),
      fc.constantFrom(
        'counted-1%00',
        'counted-1/x',
        'counted-1;x',
        'COUNTED-1',
        `${'a'.repeat(51)}`,
        'a'.repeat(9_000),
      ),
      fc.constantFrom(
        '-',
        '_',
        'a',
        'constructor',
        '__proto__',
        'tostring',
        'null',
        'auth',
        'Admin',
        'robots.txt',
      ),
      fc
        .string({ unit: 'binary-ascii', maxLength: 60 })
        .map((text) => text.replace(/[^!-~]/g, '%00')),
      fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => encodeURIComponent(text)),
    )
    const methods = fc.constantFrom(
      'GET',
      'GET',
      'GET',
      'HEAD',
      'POST',
      'OPTIONS',
      'DELETE',
      'PATCH',
    )
    const allowed = [200, 204, 301, 302, 400, 401, 404, 405, 410, 414, 429, 431]
    for (const [path, method] of fc.sample(fc.tuple(odd, methods), { numRuns: 2_000, seed: 10 })) {
      const { status } = await visit(server.url, `/${path}`, { method })
      if (!allowed.includes(status)) throw new Error(`${method} /${path} answered ${status}`)
    }
  })

  it('causes a look-up of an invalid name', async () => {
    const before = lookups()
    for (const path of [
      '/%61bc',
      `/${'x'.repeat(51)}`,
      '/a.b',
      '/a/b',
      '/a~b',
      '/admin',
      '/é'.normalize(),
    ]) {
      await visit(server.url, encodeURI(path))
    }
    expect(lookups()).toBe(before)
    // The control: a valid name is looked up.
    await visit(server.url, '/possible-name')
    expect(lookups()).toBe(before + 1)
  })
})

const lookups = () => server.context.visits.status().lookups
