import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '../accounts.ts'

// Characters that turn the order of letters would show other people another text than programs read.

let server: TestServer
let ann: Account
beforeAll(async () => {
  server = await sharedServer()
  ann = await makeAccount(server, { plan: 'business' })
})

const turning = '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'
const typed = `\u2066 Pay\u202egnp.${turning}exe \u202c`
const stored = 'Paygnp.exe'
/** Persian with a joiner, Hebrew with a mark, an emoji of three: all of it means something. */
const legitimate = 'می\u200cخواهم \u200fשלום\u200e! 👩\u200d💻'

const returned = { prefer: 'return=representation' }

it.each<[table: string, columns: string[], more: (owner: Account) => object]>([
  [
    'shortened_urls',
    ['title', 'preview_title', 'preview_description'],
    () => ({ original_url: 'https://example.com/' }),
  ],
  ['popups', ['title', 'description', 'cta_text', 'consent_text', 'name'], () => ({})],
  ['bio_pages', ['title', 'description'], () => ({ slug: `s${randomUUID().slice(0, 8)}` })],
])('%s keep the letters of %j, and nothing that turns them', async (table, columns, more) => {
  const owner = await makeAccount(server, { plan: 'business' })
  const asRow = (text: string) => Object.fromEntries(columns.map((column) => [column, text]))
  const select = ['id', ...columns].join(',')
  const row = { user_id: owner.id, ...more(owner), ...asRow(typed) }
  const made = await send(server, owner, 'POST', `${table}?select=${select}`, row, returned)
  expect(made).toMatchObject({ status: 201, body: [asRow(stored)] })
  const [{ id }] = made.body as [{ id: string }]
  for (const [text, kept] of [
    [legitimate, legitimate],
    [typed, stored],
  ] as const) {
    const path = `${table}?id=eq.${id}&select=${select}`
    expect(await send(server, owner, 'PATCH', path, asRow(text), returned)).toMatchObject({
      status: 200,
      body: [asRow(kept)],
    })
  }
})

it('links of a bio page and the name of a person too', async () => {
  const slug = `s${randomUUID().slice(0, 8)}`
  const saved = await send(server, ann, 'POST', 'rpc/save_bio_page', {
    page: { slug, title: typed, description: typed },
    links: [typed, legitimate].map((title) => ({ title, url: 'https://example.com/' })),
  })
  expect(saved.status).toBe(200)
  const page = `bio_pages?slug=eq.${slug}&select=title,description,bio_links(title)&bio_links.order=link_order`
  expect((await send(server, ann, 'GET', page)).body).toEqual([
    { title: stored, description: stored, bio_links: [{ title: stored }, { title: legitimate }] },
  ])
  const own = `profiles?id=eq.${ann.id}&select=display_name`
  for (const [text, kept] of [
    [typed, stored],
    [legitimate, legitimate],
    ['\u202e', null],
  ] as const)
    expect((await send(server, ann, 'PATCH', own, { display_name: text }, returned)).body).toEqual([
      { display_name: kept },
    ])
})
