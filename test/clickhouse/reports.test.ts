/** @module-tag extended */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { clickDimensions, reportPeriods } from '#domain/reports/hits.ts'
import { openLive } from '#test/analytics/live-client.ts'
import { hoursAgo } from '#test/analytics/reports.ts'
import { plantPopupLinks } from '#test/analytics/popup-links.ts'
import { createLog } from '#server/log.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { printedMarks } from '#test/analytics/random-hits.ts'
import { plantLinks, plantPlacements } from '#test/visits/plant.ts'
import { delivered, received, soon, visitAtRandom } from './clicks.ts'
import { plantHistory, randomsOf } from './history.ts'
import { startClickHouse } from './stand-in.ts'
import { hasChdb } from '../../scripts/chdb.mjs'

// The same hits in both stores, the same questions to both: each answer of ClickHouse is PostgreSQL's.
// The engine is installed on demand: npm run test:all
describe.runIf(hasChdb())('reports from ClickHouse', () => {
  const codes = Array.from({ length: 12 }, (_, n) => `twin-${n}`)
  const rounds = Number(process.env['ROUNDS'] ?? 150)
  let clickhouse: Awaited<ReturnType<typeof startClickHouse>>
  let server: TestServer
  let owner: Account
  let links: string[]
  let popup: string
  let tag: string

  const keepIn = (state: 'both' | 'clickhouse') =>
    server.sql('update app.click_store set state = $1', [state])
  /** The answers of both stores, PostgreSQL first. */
  async function bothAnswer<T>(ask: () => Promise<T>): Promise<[T, T]> {
    await keepIn('both')
    const first = await ask()
    await keepIn('clickhouse')
    return [first, await ask()]
  }
  const call = async (name: string, body: object, by = owner) => {
    const answer = await send(server, by, 'POST', `rpc/${name}`, body)
    return { status: answer.status, body: answer.body }
  }
  const expectSame = async (name: string, bodies: object[], by = owner) => {
    const ask = async () => {
      const answers = []
      for (const body of bodies) answers.push(await call(name, body, by))
      return answers
    }
    const [postgres, other] = await bothAnswer(ask)
    for (const [index, body] of bodies.entries())
      expect({ body, answer: other[index] }).toEqual({ body, answer: postgres[index] })
    return postgres
  }

  beforeAll(async () => {
    clickhouse = await startClickHouse()
    const settings = { url: clickhouse.url, cluster: undefined, keepDays: 800 }
    server = await startTestServer(
      { trustedProxies: 1, clickhouse: settings },
      {},
      createLog('error'),
    )
    await keepIn('both')
    const withPopup = await plantPopupLinks(server)
    owner = withPopup.owner
    popup = withPopup.first.popupId
    const planted = codes.map((code) => ({ code, url: 'https://example.com/' }))
    links = (await plantLinks(server.sql, planted, owner.id)).map(({ id }) => id)
    await plantPlacements(server.sql, links, printedMarks)
    const campaign = await send(
      server,
      owner,
      'POST',
      'tags?select=id',
      { user_id: owner.id, name: 'campaign' },
      { prefer: 'return=representation' },
    )
    ;[{ id: tag }] = campaign.body as [{ id: string }]
    const tagged = links.slice(0, 5)
    await server.sql(`update app.shortened_urls set tags = '{campaign}' where id = any ($1)`, [
      tagged,
    ])
    // Visitors of the first link get variants of a split.
    const split = [
      { id: 'a', weight: 40 },
      { id: 'b', to: 'https://example.com/b', weight: 60 },
    ]
    await send(server, owner, 'POST', 'rpc/save_link_rules', {
      _link: links[0],
      _rules: [{ id: 'rest', else: true, split }],
      _version: 0,
    })
    await visitAtRandom(server, codes, { count: 800, seed: 51 })
    await received(server, 800)
    const surfaces = [withPopup.first.id, withPopup.second.id]
    await plantHistory(server, { popup, surfaces, links, count: 6_000, days: 130, seed: 7 })
    await delivered(server)
  })
  afterAll(async () => {
    await server.close()
    await clickhouse.close()
  })

  it.each(['America/New_York', 'Asia/Kathmandu', 'posix/Australia/Lord_Howe'])(
    'are those of PostgreSQL, by everything, filtered by anything, in %s',
    async (zone) => {
      await call('set_time_zone', { _zone: zone })
      const random = randomsOf(zone.length)
      const values = await server.sql<{ country: string; browser: string; referrer: string }>(
        `select country, browser, referrer from app.click_places, app.click_clients, app.click_origins order by random() limit 50`,
      )
      const bodies = Array.from({ length: rounds }, () => {
        const by = random.of([...clickDimensions, ...reportPeriods])
        const to = random.below(130 * 24)
        const length = by === 'hour' ? random.below(190) : random.below(130 * 24)
        const { country, browser, referrer } = random.of(values)
        const filters = random.of([
          {},
          {},
          { country: [country, ''] },
          { browser: [browser] },
          { referrer: [referrer], source: ['link', 'qr'] },
          { target: [random.of(links), random.of(links)] },
          { verdict: ['counted', 'crawler'], country: [country] },
          { placement: [`${random.of(links)}/k7`, ''] },
        ])
        const scope = random.of(['account', 'account', 'link', 'tag'])
        return {
          _scope: scope,
          _id: scope === 'link' ? random.of(links) : scope === 'tag' ? tag : null,
          _by: by,
          _from: hoursAgo(to + length + 1),
          _to: hoursAgo(to - 1),
          _filters: filters,
          _include: random.of([
            [],
            ['repeats'],
            ['repeats', 'own'],
            ['repeats', 'own', 'bots'],
            ['repeats', 'own', 'imported'],
          ]),
          _limit: random.of([3, 10, 1_000]),
        }
      })
      const answers = await expectSame('click_report', bodies)
      const seen = answers.map(({ body }) => (body as { clicks: number }).clicks)
      // Most are about something (control).
      expect(seen.filter((clicks) => clicks > 0).length).toBeGreaterThan(rounds / 2)
    },
  )

  it.each([32, 512])('are estimated from the same sample of one visitor in %i', async (rate) => {
    const hits = rate === 32 ? 6_000_000 : 200_000_000
    await server.sql('alter function app.about_hits rename to true_about_hits')
    await server.sql(`create function app.about_hits(integer, integer, text, timestamptz, timestamptz) returns bigint
      language sql security definer as 'select ${hits}::bigint'`)
    await server.sql('grant execute on function app.about_hits to hoplet_reports')
    try {
      const filters = { source: ['link', 'qr', 'popup'] }
      const range = { _from: hoursAgo(130 * 24), _to: hoursAgo(-1), _filters: filters }
      const bodies = ['total', 'month', 'day', 'weekhour', 'country', 'page'].flatMap((_by) => [
        { _scope: 'account', _by, ...range },
        { _scope: 'link', _id: links[3], _by, ...range },
      ])
      const [all] = (await expectSame('click_report', bodies)).map(
        ({ body }) => body as unknown as { clicks: number; sampled: number },
      )
      expect(all?.sampled).toBe(rate)
      const clicks = all?.clicks ?? 0
      expect(clicks).toBeGreaterThan(0)
      expect(clicks % rate).toBe(0)
      const exact = await expectSame('click_report', [{ ...bodies[0], _exact: true }])
      expect(exact[0]?.body).not.toMatchObject({ clicks })
    } finally {
      await server.sql('drop function app.about_hits')
      await server.sql('alter function app.true_about_hits rename to about_hits')
    }
  })

  /** Hits of one visitor at one moment may come in any order: without their places, sorted. */
  const withoutPlaces = (hits: readonly { cursor: string }[]) =>
    hits
      .map((hit) =>
        JSON.stringify(
          Object.entries({ ...hit, cursor: hit.cursor.replace(/\.\d+$/, '') }).toSorted(
            ([a], [b]) => a.localeCompare(b),
          ),
        ),
      )
      .toSorted()
  it('page through the same hits', async () => {
    const pagesOf = async (query: object, limit: number) => {
      const cursors: string[] = []
      const hits: { cursor: string }[] = []
      for (;;) {
        const body = { ...query, _limit: limit, _before: cursors.at(-1) ?? null }
        const answer = await call('click_hits', body)
        expect(answer).toMatchObject({ status: 200 })
        const page = answer.body as { cursor: string }[]
        hits.push(...page)
        if (page.length < limit) return hits
        cursors.push(page.at(-1)?.cursor ?? '')
      }
    }
    const all = { _scope: 'account', _from: hoursAgo(140 * 24), _to: hoursAgo(-1) }
    const everything = { ...all, _include: ['repeats', 'own', 'bots', 'imported'] }
    const [postgres, other] = await bothAnswer(() => pagesOf(everything, 997))
    expect(postgres).toHaveLength(6_800)
    expect(withoutPlaces(other)).toEqual(withoutPlaces(postgres))
    expect(new Set(other.map(({ cursor }) => cursor)).size).toBe(6_800)
    const few = { ...all, _scope: 'link', _id: links[0], _filters: { device: ['mobile', ''] } }
    const [some, same] = await bothAnswer(() => pagesOf(few, 7))
    expect(some.length).toBeGreaterThan(20)
    expect(withoutPlaces(same)).toEqual(withoutPlaces(some))
  })

  it('agree on integrity, trends, popups and the busiest links', async () => {
    await expectSame('click_integrity', [
      {},
      { _scope: 'link', _id: links[1] },
      { _scope: 'tag', _id: tag },
    ])
    const [trends, ofPopup] = await expectSame('click_trends', [
      { _kind: 'link', _ids: links },
      { _kind: 'popup', _ids: [popup] },
    ])
    expect(trends?.body).toHaveLength(links.length)
    expect(ofPopup?.body).toHaveLength(1)
    const [report] = await expectSame('popup_report', [
      { _id: popup, _from: hoursAgo(130 * 24), _to: hoursAgo(-1) },
      { _id: popup, _from: hoursAgo(50 * 24), _to: hoursAgo(3), _include: [] },
    ])
    expect(report?.body).toMatchObject({ actions: { shown: expect.any(Number) }, more_surfaces: 0 })
    const range = { _from: hoursAgo(130 * 24), _to: hoursAgo(-1) }
    const [splits] = await expectSame('split_report', [
      { _link: links[0], ...range },
      { _link: links[1], ...range },
    ])
    const { splits: found } = (splits?.body ?? { splits: [] }) as {
      splits: { variants: { variant_id: string; clicks: number }[] }[]
    }
    const [first] = found
    expect(first?.variants.map(({ variant_id: id, clicks }) => [id, clicks > 0])).toEqual([
      ['a', true],
      ['b', true],
    ])
    const admin = await makeAccount(server, { role: 'admin' })
    const [latest] = await expectSame('admin_latest_links', [{}], admin)
    const { busiest = [] } = (latest?.body ?? {}) as { busiest?: unknown[] }
    expect(busiest.length).toBeGreaterThan(3)
  })

  it('both stores agree on the figures of emails', async () => {
    await call('set_click_mails', { _milestones: true, _weekly: true })
    const mails = async () => {
      await server.context.analytics.mails.run()
      return server.sql<{ key: string; data: unknown }>(
        `with sent as (delete from app.mail_outbox where key ~ '^(milestone|weekly):' returning key, data)
          select key, data from sent order by key`,
      )
    }
    const [postgres, other] = await bothAnswer(mails)
    expect(other).toEqual(postgres)
    expect(postgres.length).toBeGreaterThan(1)
  })

  it('ClickHouse refuses the same questions as PostgreSQL', async () => {
    const free = await makeAccount(server)
    const range = { _from: hoursAgo(24), _to: hoursAgo(0) }
    const refused = [
      { _scope: 'account', _by: 'color', ...range },
      { _scope: 'account', _by: 'country', ...range, _filters: { color: ['red'] } },
      { _scope: 'account', _by: 'country', _from: range._to, _to: range._from },
      { _scope: 'link', _id: owner.id, _by: 'country', ...range },
    ]
    for (const { status } of await expectSame('click_report', refused))
      expect(status).toBeGreaterThanOrEqual(400)
    const [answer] = await expectSame(
      'click_report',
      [{ _scope: 'account', _by: 'country', ...range }],
      free,
    )
    expect(answer?.status).toBe(403)
    // Another person's link does not exist for them.
    const stranger = await makeAccount(server, { plan: 'pro' })
    const body = { _scope: 'link', _id: links[0], _by: 'country', ...range }
    const [foreign] = await expectSame('click_report', [body], stranger)
    expect(foreign?.status).toBe(404)
  })

  it('live hits are sent once ClickHouse has them, each once, with the newest one by one', async () => {
    await keepIn('clickhouse')
    const live = await openLive(server, owner)
    try {
      expect(live.status).toBe(200)
      await visitAtRandom(server, codes, { count: 40, seed: 77 })
      const sum = () => Object.values(live.received()).reduce((all, each) => all + each, 0)
      await vi.waitFor(() => expect(sum()).toBe(40), soon)
      const told = live.events.flatMap(({ data }) => data.hits.map(({ cursor }) => cursor))
      expect(new Set(told).size).toBe(told.length)
      const listed = await call('click_hits', {
        _scope: 'account',
        _from: hoursAgo(1),
        _to: hoursAgo(-1),
        _include: ['repeats', 'own', 'bots'],
        _limit: 3,
      })
      for (const { cursor } of listed.body as { cursor: string }[]) expect(told).toContain(cursor)
    } finally {
      live.close()
    }
  })

  it('count visitors of a day that is over once, and again when a hit of that day comes late', async () => {
    await keepIn('clickhouse')
    await call('set_time_zone', { _zone: 'America/New_York' })
    const noon = Math.floor(Date.now() / 86_400_000 - 5) * 86_400_000 + 17 * 3_600_000
    const [scope] = await server.sql<{ id: number; account: number }>(
      `select s.id, a.id as account from app.click_scopes s join app.click_scopes a on a.ref = s.user_id where s.ref = $1`,
      [links[0]],
    )
    const store = async (rows: [at: number, visitor: number][]) => {
      const column = (value: unknown) => rows.map(() => value).join('\n')
      const [ats, visitors] = [0, 1].map((place) => rows.map((row) => row[place]).join('\n'))
      const columns = [ats, visitors, column(scope?.id), column(scope?.account)]
      const rest = ['0', '0', '0', 'c', 'l'].map(column)
      await server.sql('select app.store_hits($1)', [[...columns, ...rest]])
      await delivered(server)
      // The latest hits are not rolled up.
      await server.sql(`update app.click_outbox set made_at = made_at - interval '1 hour'`)
    }
    await store(Array.from({ length: 1_200 }, (_, n) => [noon + n * 5_000, 1 + (n % 400)]))
    const range = { _scope: 'account', _from: hoursAgo(20 * 24), _to: hoursAgo(-1) }
    const ask = async () => {
      const answers = []
      for (const by of ['total', 'day', 'month'])
        answers.push((await call('click_report', { ...range, _by: by })).body)
      return answers as { visitors: number; rows: unknown[] }[]
    }
    // Yesterday's visits are rolled up too, once it is over in New York.
    const rollups = () =>
      server.sql(`select scope, day, visitors from app.click_rollups where day < app.today() - 3`)
    const before = await ask()
    const byWeekhour = () => call('click_report', { ...range, _by: 'weekhour' })
    const weekhours = await byWeekhour()
    const { rows } = weekhours.body as { rows: { clicks: number }[] }
    // One hour of the week has 720 of the 1,200 hits.
    expect(Math.max(...rows.map(({ clicks }) => clicks))).toBeGreaterThanOrEqual(720)
    await server.context.analytics.rollups.run()
    expect(await byWeekhour()).toEqual(weekhours)
    // The account's, also of the day that began the evening before, and its busy link's.
    expect(await rollups()).toHaveLength(3)
    expect(await ask()).toEqual(before)
    // Those are read (control).
    await server.sql('update app.click_rollups set visitors = visitors + 7 where visitors >= 400')
    expect((await ask()).map(({ visitors }) => visitors)).toEqual(
      before.map(({ visitors }) => visitors + 7),
    )
    await store([[noon + 1, 999_999]])
    expect(await rollups()).toHaveLength(1)
    expect((await ask()).map(({ visitors }) => visitors)).toEqual(
      before.map(({ visitors }) => visitors + 1),
    )
  })

  it('answer 503 while ClickHouse is down, and visits and counters go on', async () => {
    await keepIn('clickhouse')
    const body = { _scope: 'account', _by: 'total', _from: hoursAgo(24), _to: hoursAgo(-1) }
    expect((await call('click_report', body)).status).toBe(200)
    await clickhouse.stop()
    const answer = await send(server, owner, 'POST', 'rpc/click_report', body)
    expect(answer.status).toBe(503)
    await visitAtRandom(server, codes, { count: 20, seed: 3 })
    await received(server, 8_061)
    await clickhouse.startAgain()
    await delivered(server)
    expect((await call('click_report', body)).status).toBe(200)
  })
})
