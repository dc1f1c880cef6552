/** @module-tag extended */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openMovedHits } from '#server/analytics/clickhouse/moved-hits.ts'
import { type ReportQuery, reportOf } from '#test/analytics/reports.ts'
import { seededRandom } from '#test/seeded-random.ts'
import { makeSpace, type TestSpace } from '#test/spaces/space-client.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { ask, delivered, soon } from './clicks.ts'
import { startClickHouse } from './stand-in.ts'
import { hasChdb } from '../../scripts/chdb.mjs'

// The engine is installed on demand: npm run test:all
describe.runIf(hasChdb())('hits of moved links in ClickHouse', () => {
  let clickhouse: Awaited<ReturnType<typeof startClickHouse>>
  let server: TestServer
  let owner: Account
  let space: TestSpace
  let links: string[]
  const settings = () => ({ url: clickhouse.url, cluster: undefined, keepDays: 800 })
  const range = {
    from: new Date(Date.now() - 60 * 86_400_000).toISOString(),
    to: new Date(Date.now() + 3_600_000).toISOString(),
    include: ['repeats', 'own', 'bots', 'imported'],
  }

  beforeAll(async () => {
    clickhouse = await startClickHouse()
    server = await startTestServer({ trustedProxies: 1, clickhouse: settings() })
    owner = await makeAccount(server, { plan: 'business' })
    space = await makeSpace(server, { owner })
    const planted = await plantLinks(
      server.sql,
      Array.from({ length: 5 }, (_, n) => ({ code: `ch-${n}`, url: `https://example.com/${n}` })),
      owner.id,
    )
    links = planted.map(({ id }) => id)
    await server.sql(`update app.click_store set state = 'clickhouse'`)
    await plantHits(6_000)
    await delivered(server)
  })
  afterAll(async () => {
    await server.close()
    await clickhouse.close()
  })

  async function plantHits(count: number) {
    const random = seededRandom(11)
    const rows = Array.from({ length: count }, () => [
      Math.floor(random() ** 3 * 45 * 86_400_000),
      Math.floor(random() * links.length),
      Math.floor(random() * 2_000),
      'cccccrobi'[Math.floor(random() * 9)] ?? 'c',
    ])
    const column = (n: number) => rows.map((row) => row[n])
    await server.sql(
      `select cardinality(app.keep_hits(array(
        select row(now() - interval '1 minute' - h.ms * interval '1 millisecond', h.visitor, s.scope, s.account, 0, 0, 0,
          h.verdict::"char", 'l')::app.click_events
        from unnest($1::bigint[], $2::int[], $3::int[], $4::text[]) h (ms, link, visitor, verdict)
          join unnest($5::uuid[]) with ordinality l (id, n) on l.n = h.link + 1
          join app.click_scopes_of($5) s on s.ref = l.id)))`,
      [column(0), column(1), column(2), column(3), links],
    )
  }

  const reports = async (who: Account) => {
    const questions: ReportQuery[] = [
      ...['total', 'day', 'month', 'verdict', 'weekhour', 'target'].map((by) => ({ by })),
      { by: 'total', filters: { verdict: ['counted'] }, exact: true },
      ...links.flatMap((id) => ['total', 'day'].map((by) => ({ scope: 'link', id, by }))),
    ]
    const all = []
    for (const question of questions)
      all.push(await reportOf(server, who, { ...range, ...question }))
    return all
  }
  const countsIn = async (table: string) => {
    const rows = await ask<{ account: number; n: string }>(
      settings(),
      `select account, count() as n from ${table} group by account order by account`,
    )
    const scopes = await server.sql<{ id: number; ref: string }>(
      `select id, ref from app.click_scopes where kind = 'account'`,
    )
    return Object.fromEntries(
      rows.map(({ account, n }) => [
        scopes.find(({ id }) => id === account)?.ref === owner.id ? 'owner' : 'space',
        Number(n),
      ]),
    )
  }
  const move = async (who: Account, to: string) => {
    const body = { _links: links, _to_account: to }
    const moved = await send(server, who, 'POST', 'rpc/move_links', body)
    expect([moved.status, moved.body]).toMatchObject([200, { state: 'arriving' }])
    // All hits of before are delivered, as a minute later.
    await server.sql(
      `update app.link_moves set created_at = created_at - interval '2 minutes' where state = 'arriving'`,
    )
    return (moved.body as { id: string }).id
  }
  const arrived = async () => {
    await vi.waitFor(async () => {
      await server.context.analytics.moves.run()
      expect(await server.sql('select from app.link_move_links')).toEqual([])
    }, soon)
  }
  const received = async (account: string) =>
    (
      await server.sql<{ n: number }>(
        `select coalesce(sum(d.received), 0)::int as n from app.click_account_days d join app.click_scopes s on s.id = d.account where s.ref = $1`,
        [account],
      )
    )[0]?.n

  it('arrive once, with their samples, and a move back leaves every report equal', async () => {
    for (let n = 0; n < 2; n++) await server.context.analytics.rollups.run()
    const before = await reports(owner)
    const [hits, samples] = [await countsIn('click_hits'), await countsIn('click_samples')]
    expect(hits).toEqual({ owner: 6_000 })
    await move(owner, space.id)
    await arrived()
    expect(await countsIn('click_hits')).toEqual({ space: 6_000 })
    expect(await countsIn('click_samples')).toEqual({ space: samples['owner'] })
    expect([await received(owner.id), await received(space.id)]).toEqual([0, 6_000])
    expect(await reports(space.owner)).toEqual(before)
    await move(space.owner, owner.id)
    await arrived()
    for (let n = 0; n < 2; n++) await server.context.analytics.rollups.run()
    expect(await reports(owner)).toEqual(before)
    expect(await countsIn('click_hits')).toEqual(hits)
    expect(await countsIn('click_samples')).toEqual(samples)
  })

  it('arrive once after a process was killed before, in and after each statement of a step', async () => {
    const before = await reports(owner)
    await server.sql(
      `select app.take_lease('link-moves', '00000000-0000-4000-8000-000000000001', 600)`,
    )
    const id = await move(owner, space.id)
    // Each try breaks off one statement later than the one before: of PostgreSQL or ClickHouse, before it or after it.
    let done = false
    for (let breakAt = 1; !done; breakAt++) {
      expect(breakAt).toBeLessThan(60)
      let calls = 0
      const count = () => {
        if (++calls === breakAt) throw new Error('killed')
      }
      const { transactionAs } = server.context.database
      const database = {
        ...server.context.database,
        transactionAs: (async (caller, work) => {
          count()
          const result = await transactionAs(caller, work)
          count()
          return result
        }) as typeof transactionAs,
      }
      const hits = openMovedHits({
        database,
        settings: settings(),
      })
      try {
        for (;;) {
          const result = await hits.step(id)
          if (result === 'done') {
            done = true
            break
          }
          if (result === 'waits') break
        }
      } catch (error) {
        expect(String(error)).toContain('killed')
      }
      await hits.close()
      if (!done) done = (await server.sql('select from app.link_move_links')).length === 0
    }
    await server.sql(`delete from app.leases where name = 'link-moves'`)
    expect(await countsIn('click_hits')).toEqual({ space: 6_000 })
    expect([await received(owner.id), await received(space.id)]).toEqual([0, 6_000])
    expect(await reports(space.owner)).toEqual(before)
  })
})
