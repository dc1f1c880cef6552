import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { countOf, plantLinks, plantOwner } from './plant.ts'
import { visit } from './visit.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const link = async (code: string, url = 'https://example.com/a?b=c&d=%20#e') => {
  const [planted] = await plantLinks(server.sql, [{ code, url }])
  if (!planted) throw new Error('nothing planted')
  return planted
}

describe('a short link', () => {
  it('redirects with 302 to the stored address, byte for byte', async () => {
    const { code, url } = await link('plain-one')
    const answer = await visit(server.url, `/${code}`)
    expect(answer.status).toBe(302)
    expect(answer.location).toBe(url)
    expect(answer.header('cache-control')).toBe('private, no-store')
    expect(answer.header('x-robots-tag')).toBe('noindex')
    expect(answer.header('referrer-policy')).toBe('strict-origin-when-cross-origin')
    expect(answer.header('x-content-type-options')).toBe('nosniff')
    expect(answer.body).toBe('')
  })

  it('is found in upper and lower case, and with a trailing slash', async () => {
    const { url } = await link('any_case-1')
    for (const path of [
      '/ANY_CASE-1',
      '/Any_Case-1',
      '/any_case-1/',
      '/any_case-1?',
      '/any_case-1/?x=1',
    ]) {
      expect(await visit(server.url, path)).toMatchObject({ status: 302, location: url })
    }
  })

  it('accepts only GET and HEAD', async () => {
    const { code, id } = await link('only-get')
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await visit(server.url, `/${code}`, { method })
      expect([answer.status, answer.header('allow')]).toEqual([405, 'GET, HEAD'])
    }
    expect(await countOf(server.sql, id)).toBe(0)
  })

  it('shows an edit to the next visitors within a second', async () => {
    const { code, id, url } = await link('edited')
    expect((await visit(server.url, `/${code}`)).location).toBe(url)
    for (let round = 0; round < 20; round++) {
      const next = `https://example.org/${round}`
      await server.sql('update app.shortened_urls set original_url = $2 where id = $1', [id, next])
      await vi.waitFor(
        async () => expect((await visit(server.url, `/${code}`)).location).toBe(next),
        60_000,
      )
    }
  })

  it('stops with its deletion, and works after its creation although it was missing a moment before', async () => {
    const { code, id } = await link('short-lived')
    expect((await visit(server.url, `/${code}`)).status).toBe(302)
    await server.sql('delete from app.shortened_urls where id = $1', [id])
    await vi.waitFor(
      async () => expect((await visit(server.url, `/${code}`)).location).toBe('/404'),
      60_000,
    )

    expect((await visit(server.url, '/not-yet')).location).toBe('/404')
    await server.sql(
      `insert into app.shortened_urls (user_id, short_code, original_url) values ($1, 'not-yet', 'https://example.com/now')`,
      [await plantOwner(server.sql)],
    )
    await vi.waitFor(
      async () =>
        expect((await visit(server.url, '/not-yet')).location).toBe('https://example.com/now'),
      { timeout: 240_000 },
    )
  })
})

describe('other paths', () => {
  it('with an unknown code lead to /404, which responds 404 with a page', async () => {
    const missing = await visit(server.url, '/nobody-has-this')
    expect([missing.status, missing.location]).toEqual([302, '/404'])
    const page = await visit(server.url, '/404')
    expect(page.status).toBe(404)
    expect(page.header('content-type')).toBe('text/html; charset=utf-8')
    expect(page.header('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(page.body).toContain('Oops! Page not found')
  })

  it('of the app are left to the app', async () => {
    for (const path of [
      '/health/live',
      '/auth/v1/settings',
      '/.well-known/x',
      '/a.b',
      '/x/y',
      '//evil.example',
    ]) {
      expect((await visit(server.url, path)).location).toBeUndefined()
    }
  })

  it('respond 410 if the stored destination bypassed every check', async () => {
    await server.sql(
      'alter table app.shortened_urls drop constraint shortened_urls_destination, disable trigger check_destination',
    )
    const hostile = [
      'javascript:alert(1)',
      'data:text/html,<script>1</script>',
      'https://example.com/\r\nset-cookie: a=b',
      'https://bank.example@evil.example/',
      '//evil.example',
      'https://exämple.com/',
      `${server.url}/404`,
      '',
    ]
    const planted = await plantLinks(
      server.sql,
      hostile.map((url, i) => ({ code: `hostile-${i}`, url })),
    )
    for (const { code } of planted) {
      const answer = await visit(server.url, `/${code}`)
      expect([answer.status, answer.location, answer.header('set-cookie')]).toEqual([
        410,
        undefined,
        undefined,
      ])
      expect(answer.body).toContain('This link is no longer available')
    }
  })
})
