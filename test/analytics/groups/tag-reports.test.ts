import { beforeAll, expect, it, vi } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { visit } from '#test/visits/visit.ts'
import { askReport, hoursAgo, reportOf } from '../reports.ts'

// Reports about the links that have a tag now.

let server: TestServer
let owner: Account
let tag: string
let codes: string[]
const single = { prefer: 'return=representation', accept: 'application/vnd.pgrst.object+json' }

async function make(table: string, row: object): Promise<{ id: string; short_code: string }> {
  const { status, body } = await send(server, owner, 'POST', table, row, single)
  expect(status).toBe(201)
  return body as { id: string; short_code: string }
}

beforeAll(async () => {
  server = await sharedServer()
  owner = await makeAccount(server, { plan: 'business' })
  const rows = [['spring'], ['Spring', 'paid'], ['paid']]
  const links = []
  for (const tags of rows)
    links.push(
      await make('shortened_urls', {
        user_id: owner.id,
        original_url: 'https://example.com/',
        tags,
      }),
    )
  codes = links.map((link) => link.short_code)
  const { body } = await send(server, owner, 'GET', 'tags?name=eq.spring&select=id')
  ;[{ id: tag }] = body as [{ id: string }]
  for (const code of [0, 0, 1, 2, 2, 2]) await visit(server.url, `/${codes[code]}`)
  await vi.waitFor(
    async () => expect((await reportOf(server, owner, { by: 'total' })).clicks).toBe(6),
    { timeout: 240_000, interval: 100 },
  )
})

const about = (by: string, filters: Record<string, string[]> = {}) =>
  reportOf(server, owner, { scope: 'tag', id: tag, by, filters })

it('a report of a tag counts the clicks of the links with the tag, each visitor once', async () => {
  expect(await about('total')).toMatchObject({ clicks: 3, visitors: 1 })
  expect((await about('day')).clicks).toBe(3)
  const { rows, rest } = await about('target')
  expect(rows.map(({ label, clicks }) => [label, clicks])).toEqual([
    [codes[0], 2],
    [codes[1], 1],
  ])
  expect(rest).toBe(0)
  const hits = { _scope: 'tag', _id: tag, _from: hoursAgo(24), _to: hoursAgo(-1) }
  expect((await send(server, owner, 'POST', 'rpc/click_hits', hits)).body).toHaveLength(3)
  const integrity = { _scope: 'tag', _id: tag }
  expect((await send(server, owner, 'POST', 'rpc/click_integrity', integrity)).body).toMatchObject({
    received: 3,
    counted: 3,
  })
})

it('filters narrow it, and none widens it', async () => {
  expect((await about('total', { tag: ['paid'] })).clicks).toBe(1)
  expect((await about('total', { source: ['qr'] })).clicks).toBe(0)
  const { body } = await send(
    server,
    owner,
    'GET',
    `shortened_urls?short_code=eq.${codes[2]}&select=id`,
  )
  const [{ id: other }] = body as [{ id: string }]
  expect((await about('total', { target: [other] })).clicks).toBe(0)
})

it('a tag without links has no clicks, and the tags of others do not exist', async () => {
  const { id } = await make('tags', { user_id: owner.id, name: 'empty' })
  for (const by of ['total', 'day', 'target', 'country'])
    expect((await reportOf(server, owner, { scope: 'tag', id, by })).clicks).toBe(0)
  const other = await makeAccount(server, { plan: 'business' })
  expect(await askReport(server, other, { scope: 'tag', id: tag, by: 'total' })).toMatchObject({
    status: 404,
    body: { message: 'No such tag' },
  })
  const unknown = await askReport(server, owner, { scope: 'label', id: tag, by: 'total' })
  expect(unknown.body).toMatchObject({ message: expect.stringContaining('bio_link or tag') })
})
