import { expect, test } from 'vitest'
import { makeLink, makeUser } from '../factories.ts'
import { recordLog } from '../record-log.ts'
import { sharedServer, startTestServer } from '../server.ts'

const server = await sharedServer()

const get = (path: string) => fetch(`${server.url}${path}`, { redirect: 'manual' })

test('every document that the index names is a page, and so is each document that one links to', async () => {
  const seen = new Set<string>()
  const waiting = ['/docs']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    const response = await get(path)
    expect([path, response.status]).toEqual([path, 200])
    const html = await response.text()
    expect([path, /<h1 id=/.test(html)]).toEqual([path, true])
    const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    for (const [, href = ''] of html.matchAll(/href="([^"]+)"/g)) {
      if (href.startsWith('#'))
        expect([path, href, ids.has(href.slice(1))]).toEqual([path, href, true])
      if (href.startsWith('/docs/') && !href.startsWith('/docs/reference'))
        waiting.push(href.split('#')[0] ?? '')
    }
  }
  expect(seen.size).toBeGreaterThan(60)
})

/** The sections that the search names, and the page around them. */
async function search(query: string) {
  const parameters = new URLSearchParams({ q: query })
  const page = await get(`/docs/search?${parameters}`)
  const json = await get(`/docs/search.json?${parameters}`)
  return {
    page,
    html: await page.text(),
    found: (await json.json()) as { title: string; heading?: string; href: string }[],
  }
}

test('a search finds headings first, words in texts too, and says when nothing matches', async () => {
  const webhooks = await search('Webhook SECRET')
  expect(webhooks.found[0]?.href).toMatch(/^\/docs\/webhooks/)
  expect(webhooks.html).toContain('<mark>')
  expect(webhooks.page.headers.get('x-robots-tag')).toBe('noindex')
  for (const word of ['csv', 'import', 'bitly', 'transfer', 'password', 'api key', 'backup'])
    expect([word, (await search(word)).found.length > 0]).toEqual([word, true])
  // Each leads to a heading that its page has.
  for (const { href } of webhooks.found) {
    const [path = '', id] = href.split('#')
    const html = await (await get(path)).text()
    expect([href, id === undefined || html.includes(` id="${id}"`)]).toEqual([href, true])
  }
  const none = await search('hopletlessness')
  expect(none.found).toEqual([])
  expect(none.html).toContain('Nothing matches “hopletlessness”.')
  expect((await search('')).html).toContain('Type a word')
})

test('a search shows its words as text, bounds them, and its form stays on this site', async () => {
  const { html, page } = await search('<script>alert(1)</script>" autofocus=".*')
  expect(page.status).toBe(200)
  expect(html).not.toContain('<script')
  expect(html).not.toContain('" autofocus')
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self'")
  const long = await search('backup '.repeat(5_000).slice(0, 8_000))
  expect(long.found.length).toBeGreaterThan(0)
  expect((await search('日本語 \u0000 %')).found).toEqual([])
  expect((await fetch(`${server.url}/docs/search?q=%ff%fe`)).status).toBe(200)
})

test('the changes of each version are a page, and other paths are not', async () => {
  const news = await get('/docs/changelog')
  expect(await news.text()).toContain('1.0.0')
  expect(news.headers.get('content-security-policy')).toContain("script-src 'none'")
  expect((await get('/docs/nothing-here')).status).toBe(404)
  expect((await get('/docs/../package.json')).status).toBe(404)
})

test('a link named docs keeps its name at a start, and the documents stay below it', async () => {
  const before = await startTestServer()
  const user = await makeUser(before)
  // As an earlier version had it: the word was not reserved.
  await before.sql(`delete from app.names where name = 'docs'`)
  await makeLink(before, user, { short_code: 'docs', original_url: 'https://example.com/docs' })
  const { log, messages } = recordLog()
  const after = await startTestServer({ databaseUrl: before.databaseUrl }, {}, log)
  const visit = (path: string) => fetch(`${after.url}${path}`, { redirect: 'manual' })
  expect((await visit('/docs')).headers.get('location')).toBe('https://example.com/docs')
  expect((await visit('/docs/links')).status).toBe(200)
  expect(messages().join()).toContain('which keeps it')
  await after.close()
  await before.close()
})
