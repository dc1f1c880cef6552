import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { makeLink, type RuledLink } from '#test/links/rules.ts'
import { plantBio } from '#test/pages/plant.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { visit } from '#test/visits/visit.ts'

let server: TestServer
let owner: Account
let menu: RuledLink
let shop: RuledLink
beforeAll(async () => {
  server = await startTestServer()
  owner = await makeAccount(server, { plan: 'business' })
  menu = await makeLink(server, owner, { short_code: 'menu' })
  shop = await makeLink(server, owner, { short_code: 'shop' })
  // Two links may have the same mark.
  for (const [{ id }, name, mark] of [
    [menu, 'Table 4', 'zz'],
    [menu, 'Window', 'k7'],
    [shop, 'Door', 'zz'],
  ] as const)
    await server.sql(
      'insert into app.placements (link_id, user_id, name, mark) values ($1, $2, $3, $4)',
      [id, owner.id, name, mark],
    )
})
afterAll(() => server.close())

interface Line {
  key: string
  clicks: number
  label?: string
  code?: string
}

const range = {
  _from: '2020-01-01T00:00:00Z',
  _to: new Date(Date.now() + 48 * 3_600_000).toISOString(),
}
const ofLink = ({ id }: RuledLink) => ({ _scope: 'link', _id: id })
const ofAccount = { _scope: 'account' }

async function report(by: string, scope: object, filters: object = {}): Promise<Line[]> {
  const body = { ...scope, ...range, _by: by, _filters: filters, _exact: true }
  const answer = await send(server, owner, 'POST', 'rpc/click_report', body)
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return (answer.body as { rows: Line[] }).rows
}
const clicks = (lines: Line[]) =>
  Object.fromEntries(lines.map(({ key, clicks: count }) => [key, count]))

let people = 0
const open = (path: string) =>
  visit(server.url, path, {
    headers: { 'user-agent': `Mozilla/5.0 (Linux; Android 1${people++}) Chrome/120.0` },
  })
const counted = (count: number, scope: object) =>
  vi.waitFor(
    async () => {
      const all = await report('source', scope)
      expect(all.reduce((sum, line) => sum + line.clicks, 0)).toBe(count)
    },
    { timeout: 240_000 },
  )

it('a report joins scans to their placements, in each version of the records', async () => {
  // The first records of a server are those that release 1.0 reads.
  for (const path of ['/q/menu/zz', '/Q/MENU/ZZ?utm_source=letter', '/q/shop/zz', '/q/menu/22'])
    await open(path)
  await server.context.visits.compareRecords()
  for (const path of ['/Q/MENU/K7', '/q/menu/zz', '/menu', '/menu?qr', '/menu?qr=zzzz'])
    await open(path)
  await counted(9, ofAccount)

  const tableFour = `${menu.id}/zz`
  const lines = await report('placement', ofLink(menu))
  expect(lines).toEqual([
    { key: '', clicks: 4 },
    { key: tableFour, clicks: 3, label: 'Table 4', code: 'menu' },
    { key: `${menu.id}/k7`, clicks: 1, label: 'Window', code: 'menu' },
  ])
  const all = await report('placement', ofAccount)
  expect(clicks(all)).toEqual({ ...clicks(lines), [`${shop.id}/zz`]: 1 })
  expect(all.find(({ key }) => key === `${shop.id}/zz`)).toMatchObject({
    label: 'Door',
    code: 'shop',
  })

  // A filter takes the mark alone where there is one link.
  for (const value of ['zz', 'ZZ', tableFour])
    expect(clicks(await report('source', ofLink(menu), { placement: [value] }))).toEqual({ qr: 3 })
  expect(clicks(await report('target', ofAccount, { placement: [tableFour] }))).toEqual({
    [menu.id]: 3,
  })
  expect(clicks(await report('source', ofLink(menu), { placement: [''] }))).toEqual({
    link: 1,
    qr: 3,
  })
  expect(clicks(await report('source', ofAccount, { placement: ['zz'] }))).toEqual({})
  expect(clicks(await report('utm_source', ofLink(menu), { placement: ['zz'] }))).toEqual({
    '': 2,
    letter: 1,
  })
})

it('a single hit has the placement, and its row in the file the mark', async () => {
  const { body } = await send(server, owner, 'POST', 'rpc/click_hits', {
    ...ofLink(menu),
    ...range,
    _filters: { placement: ['k7'] },
  })
  expect(body).toMatchObject([{ placement: `${menu.id}/k7`, source: 'qr', target: menu.id }])
  const query = new URLSearchParams({ scope: 'link', id: menu.id, from: range._from })
  const file = await fetch(`${server.url}/functions/v1/clicks.csv?${query}`, {
    headers: owner.headers,
  })
  const [head = '', ...rows] = (await file.text()).trim().split('\r\n')
  const column = head.split(',').indexOf('placement')
  const marks = rows.map((row) => row.split(',')[column] ?? '')
  expect(marks.filter((mark) => mark === 'zz')).toHaveLength(3)
  expect(marks.filter((mark) => mark === 'k7')).toHaveLength(1)
  expect(marks.filter((mark) => mark === '')).toHaveLength(4)
})

it('a day that was rolled up has the same rows', async () => {
  const before = clicks(await report('placement', ofAccount))
  const [account] = await server.sql<{ id: number }>(
    'select id from app.click_scopes where ref = $1',
    [owner.id],
  )
  await server.sql(
    `select app.roll_up($1, 'd', (now() at time zone 'UTC')::date + n) from generate_series(-1, 0) n`,
    [account?.id],
  )
  const rolled = await server.sql(
    `select value from app.click_rollups where scope = $1 and dimension = 'placement' and value <> ''`,
    [account?.id],
  )
  expect(rolled).toHaveLength(3)
  expect(clicks(await report('placement', ofAccount))).toEqual(before)
})

it('a deleted placement keeps its hits under its mark, and gets no new ones', async () => {
  const { body } = await send(server, owner, 'DELETE', `placements?link_id=eq.${menu.id}`)
  expect(body).toBeUndefined()
  await open('/q/menu/zz')
  await counted(9, ofLink(menu))
  const lines = await report('placement', ofLink(menu))
  expect(lines).toEqual([
    { key: '', clicks: 5 },
    { key: `${menu.id}/zz`, clicks: 3 },
    { key: `${menu.id}/k7`, clicks: 1 },
  ])
})

it('marks that strangers make up store nothing', async () => {
  const page = await plantBio(server.sql)
  for (let i = 0; i < 40; i++) await open(`/q/menu/x${i}x`)
  await open(`/q/${page.slug}/zz`)
  await counted(49, ofLink(menu))
  await vi.waitFor(
    async () => {
      const hits =
        'select 1 from app.click_events e join app.click_scopes s on s.id = e.scope where s.ref = $1'
      expect(await server.sql(hits, [page.id])).toHaveLength(1)
    },
    { timeout: 240_000 },
  )
  const kept = await server.sql<{ placement: string }>(
    `select distinct placement from app.click_origins where placement <> '' order by 1`,
  )
  expect(kept.map(({ placement }) => placement).toSorted()).toEqual(
    [`${menu.id}/k7`, `${menu.id}/zz`, `${shop.id}/zz`].toSorted(),
  )
})
