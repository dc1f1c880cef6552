import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'
import { askReport, hoursAgo } from './reports.ts'

let server: TestServer
let owner: Account
let link: string
beforeAll(async () => {
  server = await startTestServer()
  owner = await makeAccount(server, { plan: 'pro' })
  const [planted] = await plantLinks(
    server.sql,
    [{ code: 'guarded', url: 'https://example.com/' }],
    owner.id,
  )
  link = planted?.id ?? ''
  await visit(server.url, '/guarded')
  await vi.waitFor(
    async () => expect(await server.sql('select 1 as n from app.click_events')).toEqual([{ n: 1 }]),
    { timeout: 240_000, interval: 100 },
  )
})
afterAll(() => server.close())

const range = { _from: hoursAgo(24), _to: hoursAgo(-1) }

/** Each procedure that tells figures, asked about the owner's link. */
const questions: [string, () => [path: string, body: object]][] = [
  [
    'click_report',
    () => ['rpc/click_report', { _scope: 'link', _id: link, _by: 'total', ...range }],
  ],
  ['click_hits', () => ['rpc/click_hits', { _scope: 'link', _id: link, ...range }]],
  ['click_integrity', () => ['rpc/click_integrity', { _scope: 'link', _id: link }]],
  [
    'click_report of the account',
    () => ['rpc/click_report', { _scope: 'account', _id: owner.id, _by: 'target', ...range }],
  ],
]

const ask = (account: Account, question: () => [string, object]) =>
  send(server, account, 'POST', ...question())

describe.each(questions)('%s', (_name, question) => {
  it('tells its owner, and admins', async () => {
    const answer = await ask(owner, question)
    expect(answer.status).toBe(200)
    expect(JSON.stringify(answer.body)).toMatch(/"(?:clicks|received)":1|"label":"guarded"/)
    const admin = await makeAccount(server, { role: 'admin' })
    expect((await ask(admin, question)).body).toEqual(answer.body)
  })

  it('other people’s links answer like links that do not exist', async () => {
    const other = await makeAccount(server, { plan: 'business' })
    const real = await ask(other, question)
    const [path, body] = question()
    const missing = await send(server, other, 'POST', path, {
      ...body,
      _id: '00000000-0000-4000-8000-000000000000',
    })
    expect(real.status).toBe(404)
    expect(real.body).toEqual(missing.body)
    expect(missing.status).toBe(404)
  })

  it('reports are closed to a free plan, with the hint to upgrade', async () => {
    const free = await makeAccount(server, { plan: 'free' })
    const answer = await ask(free, question)
    expect(answer.status).toBe(403)
    expect(answer.body).toMatchObject({ message: 'Upgrade to view clicks', hint: 'plan' })
  })

  it('is closed to people who are not signed in', async () => {
    const [path, body] = question()
    const response = await fetch(`${server.url}/rest/v1/${path}`, {
      method: 'POST',
      headers: { apikey: server.anonKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(401)
  })
})

it('an account that falls to the free plan sees nothing from then on', async () => {
  const person = await makeAccount(server, { plan: 'pro' })
  expect((await askReport(server, person, { by: 'total' })).status).toBe(200)
  await server.sql(`update app.user_plans set plan_type = 'free' where user_id = $1`, [person.id])
  expect((await askReport(server, person, { by: 'total' })).status).toBe(403)
})

describe('a report', () => {
  it.each([
    ['an unknown dimension', { by: 'password' }],
    ['an unknown filter', { by: 'total', filters: { 'x; drop table app.click_events': ['1'] } }],
    ['a filter that is no list', { by: 'total', filters: { country: 'DE' } as never }],
    ['an unknown switch', { by: 'total', include: ['everything'] }],
    ['a range that ends before it begins', { by: 'total', from: hoursAgo(1), to: hoursAgo(2) }],
    ['endless time', { by: 'total', from: '-infinity' }],
    ['hours of a year', { by: 'hour', from: hoursAgo(9_000) }],
  ])('refuses %s with a clear error', async (_name, query) => {
    const { status, body } = await askReport(server, owner, query)
    expect({ status, body }).toMatchObject({ status: 400, body: { code: '22023' } })
  })

  it('takes quotes and other signs in filters as text', async () => {
    for (const text of ["'", '"', '\\', "'; drop table app.click_events; --", '{', '\u{1f600}']) {
      const { status, body } = await askReport(server, owner, {
        by: 'country',
        filters: { country: [text], source: [text], target: [text], page: [text] },
      })
      expect({ status, body }).toMatchObject({ status: 200, body: { clicks: 0, rows: [] } })
    }
  })
})

it('a link without a hit, and an account without any, have empty reports', async () => {
  const person = await makeAccount(server, { plan: 'pro' })
  const [quiet] = await plantLinks(
    server.sql,
    [{ code: 'quiet', url: 'https://example.com/' }],
    person.id,
  )
  for (const scope of [{ scope: 'account' }, { scope: 'link', id: quiet?.id ?? '' }]) {
    for (const by of ['total', 'hour', 'country', 'weekhour']) {
      const { status, body } = await askReport(server, person, { ...scope, by })
      expect({ status, body }).toMatchObject({ status: 200, body: { clicks: 0 } })
    }
  }
  const { status, body } = await send(server, person, 'POST', 'rpc/click_integrity', {})
  expect({ status, body }).toMatchObject({ status: 200, body: { received: 0, counted: 0 } })
})

it('the time zone can be set, and is checked', async () => {
  const set = (_zone: string) => send(server, owner, 'POST', 'rpc/set_time_zone', { _zone })
  expect((await set('Asia/Kathmandu')).status).toBe(204)
  const { body } = await askReport(server, owner, { by: 'day' })
  expect(body).toMatchObject({ time_zone: 'Asia/Kathmandu', clicks: 1 })
  expect((await set('Mars/Olympus')).status).toBe(400)
})
