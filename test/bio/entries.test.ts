import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { makeAccount, send } from '#test/tables/accounts.ts'
import { visit } from '#test/visits/visit.ts'
import { save, saved } from './pages.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const url = 'https://example.com/'
const picture = `/media/${'a'.repeat(64)}.webp`
const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
const anHourAgo = new Date(Date.now() - 3_600_000).toISOString()

it('visitors see headers, dividers and pictures, and links in their time only', async () => {
  const ann = await makeAccount(server)
  const { page, links } = await saved(server, ann, { slug: 'entries', title: 'Ann' }, [
    { kind: 'header', title: 'My shops' },
    { title: 'First', url, image_url: picture },
    { kind: 'divider' },
    { title: 'Second', url, starts_at: anHourAgo, ends_at: inAnHour },
    { title: 'Later', url, starts_at: inAnHour },
    { title: 'Over', url, ends_at: anHourAgo },
    { title: 'Third', url },
    { kind: 'header', title: ' ' },
  ])
  expect(links.map(({ kind, url: stored }) => [kind, stored === ''])).toEqual([
    ['header', true],
    ['link', false],
    ['divider', true],
    ['link', false],
    ['link', false],
    ['link', false],
    ['link', false],
  ])
  const { body } = await visit(server.url, '/entries')
  const list = /<ul class="hp-bio-links"[^]*?<\/ul>/.exec(body)?.[0] ?? ''
  expect(list.match(/hp-bio-link-prominent/g)).toHaveLength(2)
  expect(
    list
      .replace(/<img src="([^"]+)"[^>]*>/g, '[$1]')
      .replace(/<hr[^>]*>/, '-')
      .replace(/<[^>]*>/g, ' ')
      .split(/\s+/)
      .join(' '),
  ).toBe(` My shops [${picture}]First - Second Third `)
  // The look-up of visitors has the same rows, and the way of a link that is not there leads to the page.
  const seen = await send(
    server,
    undefined,
    'GET',
    `bio_links?bio_page_id=eq.${page.id}&select=title&order=link_order`,
  )
  expect(seen.body).toEqual(
    ['My shops', 'First', '', 'Second', 'Third'].map((title) => ({ title })),
  )
  const later = links.find(({ title }) => title === 'Later')
  const way = await visit(server.url, `/entries/go/${later?.id}`)
  expect(way.header('location')).toBe('/entries')
})

it(
  'a save with titles and URLs only keeps pictures, times, headers and dividers',
  { tags: ['extended'] },
  async () => {
    const bob = await makeAccount(server)
    const before = await saved(server, bob, { slug: 'older', title: 'Bob' }, [
      { kind: 'header', title: 'Shops' },
      { title: 'One', url, image_url: picture, starts_at: anHourAgo },
      { kind: 'divider' },
    ])
    const known = before.links.map(({ id, title, url: address }) => ({ id, title, url: address }))
    const after = await saved(server, bob, {}, known)
    expect(after.links).toEqual(before.links)
    const plain = await saved(server, bob, {}, [{ title: 'One', url }])
    expect(plain.links).toMatchObject([{ id: before.links[1]?.id, image_url: picture }])
    const cleared = await saved(server, bob, {}, [
      { ...plain.links[0], image_url: null, starts_at: null },
    ])
    expect(cleared.links).toMatchObject([{ image_url: null, starts_at: null }])
  },
)

it('entries that make no sense are refused in words', { tags: ['extended'] }, async () => {
  const eve = await makeAccount(server)
  for (const [entry, message] of [
    [{ kind: 'video', title: 'x', url }, { message: 'Please choose link, header or divider' }],
    [
      { title: 'x', url, starts_at: inAnHour, ends_at: anHourAgo },
      { message: 'The end must be after the start' },
    ],
    [
      { title: 'x', url, image_url: 'https://other.example/p.png' },
      { message: 'Please use a picture that was uploaded here' },
    ],
    [{ title: 'x', url: 'javascript:alert(1)' }, {}],
  ] as const)
    expect(await save(server, eve, { slug: 'refused', title: 'Eve' }, [entry], [])).toMatchObject({
      status: 400,
      body: { code: '23514', ...message },
    })
})
