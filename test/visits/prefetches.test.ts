import { beforeAll, describe, expect, it, vi } from 'vitest'
import { plantBio, plantPopupLink } from '#test/pages/plant.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { hitsOf } from './hits.ts'
import { plantLinks } from './plant.ts'
import { visit } from './visit.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})

const prefetches: Record<string, string>[] = [
  { 'sec-purpose': 'prefetch' },
  { 'Sec-Purpose': 'prefetch;prerender' },
  { 'sec-purpose': 'prefetch;anonymous-client-ip' },
  { purpose: 'prefetch' },
  { 'X-moz': 'prefetch' },
]
const previews: Record<string, string>[] = [
  { purpose: 'preview' },
  { 'sec-purpose': 'prefetch;prerender;preview' },
]

const expectRefused = async (path: string, headers: Record<string, string>) => {
  const { status, location, header } = await visit(server.url, path, { headers })
  expect([status, location, header('cache-control')]).toEqual([503, undefined, 'no-store'])
}

describe('a browser that asks before the press', () => {
  it('gets nothing that it could use at the press, which counts', async () => {
    const [link] = await plantLinks(server.sql, [{ code: 'ahead', url: 'https://a.example/' }])
    for (const headers of prefetches) await expectRefused('/ahead', headers)
    for (const headers of previews)
      expect((await visit(server.url, '/ahead', { headers })).location).toBe('https://a.example/')
    expect((await visit(server.url, '/ahead')).location).toBe('https://a.example/')
    await vi.waitFor(
      async () => {
        const hits = await hitsOf(server.sql, link?.id ?? '')
        const verdicts = hits.map(({ verdict }) => verdict)
        expect(verdicts).toEqual([...Array(7).fill('prefetch'), 'counted'])
      },
      { timeout: 240_000 },
    )
  })

  it('gets no page and no page of a missing code either', async () => {
    const { code } = await plantPopupLink(server.sql)
    const bio = await plantBio(server.sql, { links: [['Shop', 'https://shop.example/']] })
    const [link] = await server.sql<{ id: string }>(
      'select id from app.bio_links where bio_page_id = $1',
      [bio.id],
    )
    const paths = [code, `${code}+`, bio.slug, `${bio.slug}/go/${link?.id}`, 'never-made']
    for (const path of paths) {
      await expectRefused(`/${path}`, { 'sec-purpose': 'prefetch' })
      expect((await visit(server.url, `/${path}`)).status).toBeLessThan(400)
    }
    const own = { headers: { 'sec-purpose': 'prefetch' } }
    expect((await visit(server.url, '/demo', own)).status).toBe(200)
  })
})
