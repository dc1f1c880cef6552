import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { linkFields } from '#domain/links/link-fields.ts'
import {
  type LinkTextColumn,
  linkTextColumns,
  linkTexts,
  linkTextSentence,
  ofLinkTexts,
} from '#domain/links/link-limits.ts'
import { apiCatalog } from '#test/catalog.ts'
import { sharedServer } from '#test/server.ts'
import { makeAccount, send } from '#test/tables/accounts.ts'
import { refusedField } from '#web/features/links/options/refused-field.ts'

it('each refusal of a link by the server names a field of its form', async () => {
  const server = await sharedServer()
  const owner = await makeAccount(server, { plan: 'business' })
  await server.sql(
    `insert into app.blocks (kind, value) values ('host', 'field.example') on conflict do nothing`,
  )
  await server.sql(
    `insert into app.tags (user_id, name) select $1, 'tag ' || n from generate_series(1, 200) n`,
    [owner.id],
  )
  const fieldOf = async (options: object) => {
    const row = { user_id: owner.id, original_url: 'https://example.com/', ...options }
    const { status, body } = await send(server, owner, 'POST', 'shortened_urls', row)
    expect([400, 409]).toContain(status)
    return refusedField(body as Parameters<typeof refusedField>[0])?.field
  }
  const refused: Record<string, object[]> = {
    url: [
      { original_url: 'https://field.example/' },
      { original_url: server.url },
      { original_url: 'javascript:1' },
    ],
    code: [{ short_code: 'ab' }, { short_code: 'a b c' }],
    popup: [{ show_popup: true }, { show_popup: true, popup_id: randomUUID() }],
    fallbackUrl: [{ fallback_url: 'https://field.example/' }],
    previewImage: [{ preview_image_url: 'https://example.com/x.html' }],
    tagText: [
      { tags: ['one more'] },
      { tags: ['x'.repeat(41)] },
      { tags: Array.from({ length: 21 }, (_, n) => `tag ${n + 1}`) },
    ],
    ...ofLinkTexts((column) => [{ [column]: 'x'.repeat(linkTexts[column].maxLength + 1) }]),
    startsAt: [{ starts_at: 'infinity' }, { starts_at: '10000-01-01T00:00:00Z' }],
    endsAt: [
      { starts_at: '2099-01-02T00:00:00Z', ends_at: '2099-01-01T00:00:00Z' },
      { ends_at: '-infinity' },
    ],
    maxClicks: [{ max_clicks: 0 }],
    forwardNames: [{ forward_query: 'a b' }],
  }
  for (const [field, writes] of Object.entries(refused))
    for (const write of writes) expect(await fieldOf(write), JSON.stringify(write)).toBe(field)
})

it('a text of a link is saved up to its limit by each way of writing, and an empty one is none', async () => {
  const server = await sharedServer()
  const owner = await makeAccount(server, { plan: 'business' })
  const full = ofLinkTexts((column) => 'é'.repeat(linkTexts[column].maxLength))
  const address = { user_id: owner.id, original_url: 'https://example.com/' }
  const made = await send(server, owner, 'POST', 'shortened_urls', { ...address, ...full })
  expect(made.status).toBe(201)
  const [{ id } = { id: '' }] = await server.sql<{ id: string }>(
    'select id from app.shortened_urls where user_id = $1',
    [owner.id],
  )
  const path = `shortened_urls?id=eq.${id}`
  const read = async () => (await send(server, owner, 'GET', path)).body
  expect(await read()).toMatchObject([full])
  for (const column of linkTextColumns) {
    const long = { [column]: `${full[column]}e` }
    expect(await send(server, owner, 'PATCH', path, long)).toMatchObject({
      status: 400,
      body: { message: linkTextSentence(column) },
    })
    expect((await send(server, owner, 'PATCH', path, { [column]: '' })).status).toBe(204)
    expect(await read()).toMatchObject([{ [column]: null }])
  }
  const bulk = { original_url: address.original_url, ...full }
  const { body } = await send(server, owner, 'POST', 'rpc/create_links', { _links: [bulk] })
  expect(body).toMatchObject([{ status: 'created' }])
})

const ofEachLink = ['original_url', 'popup_id', 'external_id']

it('docs/links.md names each option with the limit of a text, and webhooks tell only columns that the owner reads', async () => {
  const docs = await readFile('docs/links.md', 'utf8')
  const options = Object.keys(linkFields).filter((column) => !ofEachLink.includes(column))
  expect(options.filter((column) => !docs.includes(`\`${column}\``))).toEqual([])
  const limitOf = (column: LinkTextColumn) => linkTexts[column].maxLength.toLocaleString('en')
  const states = (column: LinkTextColumn) =>
    new RegExp(`^\\| \`${column}\` \\|.* at most ${limitOf(column)} characters`, 'mi').test(docs)
  expect(linkTextColumns.filter((column) => !states(column))).toEqual([])
  const server = await sharedServer()
  const [{ told } = { told: [] }] = await server.sql<{ told: string[] }>(
    `select array(select jsonb_object_keys(app.link_facts(
       jsonb_populate_record(null::app.shortened_urls, '{"title": "Menu"}')))) as told`,
  )
  const readable = apiCatalog.relations.get('shortened_urls')?.access.authenticated?.select ?? []
  expect(told.filter((column) => !readable.includes(column))).toEqual([])
  expect(told).toContain('note')
})
