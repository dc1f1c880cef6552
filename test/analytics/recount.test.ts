import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { dimensions as clauses } from '#server/analytics/reports/dimensions.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { plantLinks, plantPlacements } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'
import { printedMarks, type RandomHit, randomHits } from './random-hits.ts'
import { hoursAgo, reportOf, type ReportQuery } from './reports.ts'

// The long form: HITS=100000 npm test -- test/analytics/recount.test.ts
const hits = Number(process.env['HITS'] ?? 3_000)
const hourMs = 3_600_000
const codes = Array.from({ length: 30 }, (_, n) => `recount-${n}`)

let server: TestServer
let owner: Account
let log: RandomHit[]
beforeAll(async () => {
  server = await startTestServer({ trustedProxies: 1 })
  owner = await makeAccount(server, { plan: 'pro' })
  const links = codes.map((code) => ({ code, url: 'https://example.com/' }))
  const planted = await plantLinks(server.sql, links, owner.id)
  const ids = planted.map(({ id }) => id)
  await plantPlacements(server.sql, ids, printedMarks)
  log = await randomHits(hits, codes, 4337)
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  await Promise.all(
    log.map(({ path, method, headers }) => visit(server.url, path, { method, headers, agent })),
  )
  agent.destroy()
  await vi.waitFor(
    async () =>
      expect(await server.sql('select count(*)::int as n from app.click_events')).toEqual([
        { n: hits },
      ]),
    { timeout: 240_000, interval: 250 },
  )
})
afterAll(() => server.close())

const dimensions = [
  'target',
  'source',
  'placement',
  'referrer',
  'page',
  'country',
  'device',
  'browser',
  'system',
  'language',
  'utm_source',
  'utm_medium',
  'utm_campaign',
]

/** Counts the sender's own log. */
function recount(by: string, matches: (hit: RandomHit) => boolean): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const hit of log.filter(matches)) {
    const key = hit.expected[by] ?? ''
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}

const isPerson = ({ expected }: RandomHit) => expected['verdict'] === 'counted'

/** A report by key; links by their codes, placements by that of their link and their mark. */
async function countsOf(query: ReportQuery): Promise<Record<string, number>> {
  const { rows, rest } = await reportOf(server, owner, query)
  expect(rest).toBe(0)
  const nameOf = ({ key, label, code }: (typeof rows)[number]) => {
    if (query.by === 'target') return label ?? ''
    return query.by === 'placement' && key !== '' ? `${code}/${label}` : key
  }
  return Object.fromEntries(rows.map((row) => [nameOf(row), row.clicks]))
}

/** Every report of the account and the range that has all hits, compared with the sender's log. */
async function expectReports(range: { from: string; to: string }) {
  for (const by of dimensions) {
    expect({ by, counts: await countsOf({ by, ...range }) }).toEqual({
      by,
      counts: recount(by, isPerson),
    })
    expect(await countsOf({ by, ...range, include: ['repeats', 'own', 'bots'] })).toEqual(
      recount(by, () => true),
    )
  }
  expect(await countsOf({ by: 'bot', ...range })).toEqual(
    recount('bot', ({ expected }) => expected['bot'] !== '' && expected['verdict'] !== 'counted'),
  )
  const people = log.filter(isPerson)
  const visits = new Set(people.map(({ visitor, expected }) => visitor + expected['target']))
  const { counted, ...filtered } = recount('verdict', () => true)
  expect(await countsOf({ by: 'verdict', ...range, include: ['repeats', 'own', 'bots'] })).toEqual({
    ...filtered,
    counted: visits.size,
    repeat: (counted ?? 0) - visits.size,
  })
  const total = await reportOf(server, owner, { by: 'total', ...range })
  const visitors = new Set(people.map(({ visitor }) => visitor)).size
  expect(total).toMatchObject({
    clicks: people.length,
    visitors,
    returning: visits.size - visitors,
    sampled: null,
  })
  const unrepeated = await reportOf(server, owner, { by: 'total', ...range, include: [] })
  expect(unrepeated.clicks).toBe(visits.size)
}

describe('reports of random hits', () => {
  it('reports equal a recount of the sent hits, by every dimension, with and without bots', async () => {
    await expectReports({ from: hoursAgo(2), to: hoursAgo(-1) })
  })

  it('equal a recount under filters that combine', async () => {
    const [country = ''] = Object.entries(recount('country', isPerson)).toSorted(
      ([, a], [, b]) => b - a,
    )[0] ?? ['']
    const filters = { country: [country], language: ['de', ''], source: ['link'] }
    const matches = (hit: RandomHit) =>
      isPerson(hit) &&
      Object.entries(filters).every(([by, keys]) => keys.includes(hit.expected[by] ?? ''))
    for (const by of dimensions)
      expect(await countsOf({ by, filters })).toEqual(recount(by, matches))
  })

  it('of one link have its hits only', async () => {
    const [link] = await server.sql<{ id: string }>(
      'select id from app.shortened_urls where short_code = $1',
      [codes[0]],
    )
    const ofLink = { scope: 'link', id: link?.id ?? '' }
    const matches = (hit: RandomHit) => isPerson(hit) && hit.expected['target'] === codes[0]
    for (const by of ['country', 'browser', 'utm_campaign'])
      expect(await countsOf({ by, ...ofLink })).toEqual(recount(by, matches))
  })

  it('by time add up to the total', async () => {
    const range = { from: hoursAgo(3), to: hoursAgo(-1) }
    const people = log.filter(isPerson).length
    for (const by of ['hour', 'day', 'month', 'weekhour']) {
      const { rows } = await reportOf(server, owner, { by, ...range })
      expect(rows.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(people)
    }
  })

  it('by hour begin at the full hours of the zone, wherever the range begins', async () => {
    const minutes = { UTC: '00', 'Asia/Kathmandu': '15' }
    for (const [zone, minute] of Object.entries(minutes)) {
      await send(server, owner, 'POST', 'rpc/set_time_zone', { _zone: zone })
      const from = new Date(Math.floor(Date.now() / hourMs) * hourMs - 4 * hourMs + 1_234_567)
      const { rows } = await reportOf(server, owner, {
        by: 'hour',
        from: from.toISOString(),
        to: hoursAgo(-1),
      })
      for (const { key } of rows) expect(key).toMatch(new RegExp(`:${minute}:00Z$`))
      expect(Date.parse(rows[0]?.key ?? '')).toBeLessThanOrEqual(from.getTime())
      expect(rows.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(log.filter(isPerson).length)
    }
    await send(server, owner, 'POST', 'rpc/set_time_zone', { _zone: 'UTC' })
  })

  it('are the same from the rollups, when the days and the month are over', async () => {
    await server.sql(`select app.make_click_months(app.today() - 70, app.today())`)
    await server.sql(`update app.click_events set at = at - interval '62 days'`)
    await server.sql(
      `update app.click_account_days set day = day - 62, received = greatest(received, 500)`,
    )
    const range = { from: hoursAgo(24 * 110), to: hoursAgo(24 * 20) }
    const rolled = Object.entries(clauses).flatMap(([by, clause]) => (clause.rolled ? [by] : []))
    const reports = () =>
      Promise.all(rolled.map((by) => reportOf(server, owner, { by, ...range, include: ['bots'] })))
    const ofHits = await reports()
    await server.context.analytics.rollups.run()
    await server.context.analytics.rollups.run()
    const grains = await server.sql<{ grain: string; n: number }>(
      `select grain::text, count(*)::int as n from app.click_rollups where dimension = 'total' group by 1 order by 1`,
    )
    expect(grains.map(({ grain }) => grain)).toEqual(['d', 'm'])
    const weekhours = await server.sql<{ key: string; clicks: number }>(
      `select ((extract(isodow from e.at) - 1) * 24 + extract(hour from e.at))::text as key, count(*)::int as clicks
        from (select at at time zone 'UTC' as at from app.click_events where verdict in ('c', 'r')) e group by 1`,
    )
    // The control: the figures come from the rollups, not from the events.
    await server.sql('delete from app.click_events')
    await expectReports(range)
    expect(await reports()).toEqual(ofHits)
    expect(await countsOf({ by: 'weekhour', ...range })).toEqual(
      Object.fromEntries(weekhours.map(({ key, clicks }) => [key, clicks])),
    )
  })
})
