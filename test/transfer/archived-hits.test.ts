import { beforeAll, describe, expect, test } from 'vitest'
import { openLive } from '../analytics/live-client.ts'
import { reportOf } from '../analytics/reports.ts'
import { makeAccount, send, type Account } from '../tables/accounts.ts'
import { sharedServer, startTestServer, type TestServer } from '../server.ts'
import { archivesOf } from './archive-client.ts'
import {
  archiveWithHits,
  clicksCsv,
  entryThere,
  type HitCells,
  linkThere,
  minutesAgo,
  pageThere,
} from './hits-file.ts'
import { importsOf } from './import-client.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})

const withImported = ['repeats', 'own', 'imported']
const newCode = () => `h-${crypto.randomUUID().slice(0, 8)}`
const daysAgo = (n: number) => minutesAgo(n * 24 * 60)
const lastYear = () => ({ from: daysAgo(390), to: daysAgo(-1) })

async function linkOf(code: string) {
  const [link] = await server.sql<{
    id: string
    click_count: string
    clicks_before: string | null
  }>('select id, click_count, clicks_before from app.shortened_urls where short_code = $1', [code])
  return link
}

/** Clicks of an account with and without imported ones. */
async function clicksOf(owner: Account) {
  const asked = { by: 'total', ...lastYear() }
  const plain = await reportOf(server, owner, asked)
  const all = await reportOf(server, owner, { ...asked, include: withImported })
  return { plain: plain.clicks, all: all.clicks, rows: plain.rows }
}

async function importInto(owner: Account, file: Uint8Array<ArrayBuffer>) {
  const imports = importsOf(server, owner)
  const shown = await imports.check(file, 'hoplet-archive.zip')
  expect(shown, JSON.stringify(shown)).toMatchObject({ state: 'ready' })
  const done = await imports.run(shown.id)
  const rows = await imports.rows(shown.id)
  expect(done, JSON.stringify(rows)).toMatchObject({ state: 'done' })
  const row = rows.find(({ label }) => label?.startsWith('clicks.csv') === true)
  return { imports, id: shown.id, done, rows, row }
}

const manyHits = (count: number, cells: HitCells = {}) =>
  Array.from({ length: count }, (_, n) => ({ at: minutesAgo(60 + n), ...cells }))

describe('hits of an archive', () => {
  test('arrive as imported, in no counter, and in reports only where they are asked for', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const code = newCode()
    const days = () => server.sql('select coalesce(sum(clicks), 0)::int as n from app.click_days')
    const before = await days()
    const { row } = await importInto(
      owner,
      archiveWithHits(
        code,
        clicksCsv([
          {
            at: minutesAgo(1),
            country: 'DE',
            browser: 'Firefox',
            device: 'desktop',
            language: 'de',
          },
          {
            at: daysAgo(2),
            country: 'FR',
            verdict: 'repeat',
            referrer: 'news.example',
            page: 'news.example/a',
          },
          { at: daysAgo(40), country: 'FR', verdict: 'own', source: 'qr', utm_campaign: 'Spring' },
          { at: daysAgo(41), verdict: 'imported' },
          { at: daysAgo(41), verdict: 'crawler', bot: 'Googlebot' },
          { at: daysAgo(41), kind: 'bio', target: pageThere },
          { at: daysAgo(41), kind: 'bio_link', target: entryThere, source: 'bio' },
          { at: daysAgo(41), target: '99999999-9999-4999-8999-999999999999' },
        ]),
        { page: true },
      ),
    )
    expect(row).toMatchObject({
      label: 'clicks.csv: 6 hits',
      result: 'made',
      notes: [
        '1 hit left out: nobody’s visit.',
        '1 hit left out: their link is not in the archive.',
        '6 hits arrived as imported.',
      ],
    })
    const link = await linkOf(code)
    // The total there is a figure apart, and does not count the hits again.
    expect(link).toMatchObject({ click_count: '0', clicks_before: '12' })
    expect(await days()).toEqual(before)
    expect(await clicksOf(owner)).toEqual({
      plain: 0,
      all: 6,
      rows: [{ key: 'imported', clicks: 6 }],
    })
    const asked = { ...lastYear(), include: withImported }
    const countries = await reportOf(server, owner, { by: 'country', ...asked })
    expect(countries.rows).toEqual([
      { key: '', clicks: 3 },
      { key: 'FR', clicks: 2 },
      { key: 'DE', clicks: 1 },
    ])
    const ofLink = await reportOf(server, owner, {
      scope: 'link',
      id: link?.id ?? '',
      by: 'total',
      ...asked,
    })
    expect(ofLink).toMatchObject({ clicks: 4, visitors: 0, returning: 0 })
    const targets = await reportOf(server, owner, { by: 'target', ...asked })
    expect(Object.fromEntries(targets.rows.map(({ label, clicks }) => [label, clicks]))).toEqual({
      [code]: 4,
      [`page-${code}`]: 1,
      Shop: 1,
    })
    const filtered = await reportOf(server, owner, {
      by: 'total',
      ...asked,
      filters: { utm_campaign: ['spring'], source: ['qr'] },
    })
    expect(filtered.clicks).toBe(1)
    const hits = async (include: string[]) => {
      const body = { _scope: 'account', _from: asked.from, _to: asked.to, _include: include }
      return (await send(server, owner, 'POST', 'rpc/click_hits', body)).body as {
        verdict: string
      }[]
    }
    expect(await hits(['repeats', 'own', 'bots'])).toEqual([])
    expect((await hits(withImported)).map(({ verdict }) => verdict)).toEqual(
      Array(6).fill('imported'),
    )
    const trends = await send(server, owner, 'POST', 'rpc/click_trends', {
      _kind: 'link',
      _ids: [link?.id],
    })
    expect(trends.body).toEqual([])
    const integrity = await send(server, owner, 'POST', 'rpc/click_integrity', {})
    expect(integrity.body).toMatchObject({
      received: 6,
      counted: 0,
      filtered: 6,
      by_verdict: { imported: 6 },
    })
  })

  test('stay imported on a second round trip, and none is lost', async () => {
    const [owner, second] = [
      await makeAccount(server, { plan: 'business' }),
      await makeAccount(server, { plan: 'business' }),
    ]
    const code = newCode()
    await importInto(
      owner,
      archiveWithHits(
        code,
        clicksCsv([
          ...manyHits(5, { country: 'DE' }),
          { at: daysAgo(3), source: 'qr', placement: 'b4' },
        ]),
        { link: { placements: [{ name: 'Table', mark: 'b4' }] } },
      ),
    )
    const archives = archivesOf(server, owner)
    const made = await archives.make()
    const lines = made.text('clicks.csv').trim().split('\r\n').slice(1)
    expect(lines).toHaveLength(6)
    expect(lines.every((each) => each.split(',')[4] === 'imported')).toBe(true)
    const [{ id } = { id: '' }] = (await (await archives.ask()).json()) as { id: string }[]
    const file = new Uint8Array(await (await archives.ask(`/${id}/file`)).arrayBuffer())
    // The code is the first account's.
    await server.sql('delete from app.shortened_urls where short_code = $1', [code])
    await server.sql('delete from app.names where name = $1', [code])
    await importInto(second, file)
    expect(await clicksOf(second)).toMatchObject({ plain: 0, all: 6 })
    const placements = await reportOf(server, second, {
      by: 'placement',
      ...lastYear(),
      include: withImported,
    })
    const link = await linkOf(code)
    expect(placements.rows).toMatchObject([
      { key: '', clicks: 5 },
      { key: `${link?.id}/b4`, label: 'Table', clicks: 1 },
    ])
  })

  test('come once, however often the same archive is read', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const file = archiveWithHits(newCode(), clicksCsv(manyHits(3)))
    await importInto(owner, file)
    const again = await importInto(owner, file)
    expect(again.row).toMatchObject({ outcome: 'here', result: 'skipped' })
    expect(await clicksOf(owner)).toMatchObject({ all: 3 })
    expect(
      await server.sql('select from app.import_hits where import_id = $1', [again.id]),
    ).toEqual([])
    // The control: another link brings its hits.
    await importInto(owner, archiveWithHits(newCode(), clicksCsv(manyHits(2))))
    expect(await clicksOf(owner)).toMatchObject({ all: 5 })
  })

  test('are in no shared report of their link, which has the visits of this server', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const code = newCode()
    await importInto(
      owner,
      archiveWithHits(code, clicksCsv(manyHits(78, { country: 'IS', referrer: 'secret.example' }))),
    )
    const link = await linkOf(code)
    await server.sql(`select app.apply_api_hit($1)`, [link?.id])
    const { body } = await send(
      server,
      owner,
      'POST',
      'shared_reports',
      { link_id: link?.id },
      { prefer: 'return=representation' },
    )
    const [{ token } = { token: '' }] = body as { token: string }[]
    const read = async (path: string) => {
      const response = await fetch(`${server.url}/analytics/shared/${token}${path}`)
      expect(response.status).toBe(200)
      return response.text()
    }
    for (const text of [await read(''), await read('/report.csv?days=30')])
      expect(text).not.toMatch(/Iceland|\bIS\b|secret\.example|mported/)
    // The one of this server, and nothing else.
    expect(await read('?days=30')).toContain('<dt>Clicks</dt><dd><b>1</b></dd>')
    expect(await read('/report.csv?days=30')).not.toMatch(/\b7[78]\b/)
  })

  test('are in no live stream and no webhook, which tell of the visits of this server', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const code = newCode()
    await importInto(owner, archiveWithHits(code, clicksCsv([{}])))
    await server.sql(
      `insert into app.webhooks (user_id, url, events, secret)
        values ($1, 'https://hooks.example/', '{clicks.recorded}', 'sealed')`,
      [owner.id],
    )
    const live = await openLive(server, owner)
    try {
      await expect.poll(() => live.text()).toContain(':')
      await importInto(
        owner,
        archiveWithHits(
          newCode(),
          clicksCsv(Array.from({ length: 3 }, () => ({ at: minutesAgo(0) }))),
        ),
      )
      const visited = await fetch(`${server.url}/${code}`, {
        redirect: 'manual',
        headers: { 'user-agent': 'curl/8' },
      })
      expect(visited.status).toBe(302)
      await expect.poll(() => live.received(), { timeout: 20_000 }).toEqual({ program: 1 })
      expect(live.text()).not.toContain('imported')
    } finally {
      live.close()
    }
    const [noted] = await server.sql<{ hits: number }>(
      `select coalesce(sum(c.counted + c.repeats + c.own + c.bots), 0)::int as hits from app.webhook_clicks c
        join app.click_scopes s on s.id = c.account where s.ref = $1`,
      [owner.id],
    )
    // None when the event was made meanwhile.
    expect(noted?.hits).toBeOneOf([0, 1])
  })

  test('survive a kill in the middle and a pause without a duplicate or a loss', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const imports = importsOf(server, owner)
    const shown = await imports.check(
      archiveWithHits(newCode(), clicksCsv(manyHits(6_500))),
      'a.zip',
    )
    const worker = { role: 'hoplet_worker', claims: { sub: owner.id } } as const
    const { database } = server.context
    const days = JSON.stringify({ free: 90, pro: 400, business: 800 })
    const step = (andDie: boolean) =>
      database
        .transactionAs(worker, async (db) => {
          await db.query('select app.write_import_batch($1, 50)', [shown.id])
          const { rows } = await db.query<{ state: string }>(
            'select app.write_import_hits($1, $2) as state',
            [shown.id, days],
          )
          if (andDie) throw new Error('killed')
          return rows[0]?.state
        })
        .catch(() => 'killed')
    const waiting = async () => {
      const [row] = await server.sql<{ hits: string }>(
        'select hits from app.imports where id = $1',
        [shown.id],
      )
      return Number(row?.hits)
    }
    expect(await waiting()).toBe(6_500)
    // No process takes it meanwhile.
    await server.sql(`do $do$ begin
      perform set_config('request.jwt.claims', '${JSON.stringify({ sub: owner.id })}', true);
      perform app.confirm_import('${shown.id}', 'keep', 'new', '[]');
      update app.imports set next_at = now() + interval '1 hour' where id = '${shown.id}';
    end $do$`)
    await imports.act(shown.id, 'pause')
    expect(await step(false)).toBe(null)
    await server.sql(
      `update app.imports set state = 'running', next_at = now() + interval '1 hour' where id = $1`,
      [shown.id],
    )
    let steps = 0
    while ((await waiting()) > 2_500 && steps++ < 20) {
      expect(await step(true)).toBe('killed')
      expect(await step(false)).toBe('running')
    }
    expect(await waiting()).toBe(2_500)
    await imports.act(shown.id, 'pause')
    expect(await imports.show(shown.id)).toMatchObject({ state: 'paused' })
    expect((await clicksOf(owner)).all).toBe(4_000)
    await imports.act(shown.id, 'resume')
    await imports.until(shown.id, 'done')
    expect((await clicksOf(owner)).all).toBe(6_500)
    const [distinct] = await server.sql<{ n: number }>(
      `select count(distinct e.visitor)::int as n from app.click_events e join app.click_scopes s on s.id = e.account
        where s.ref = $1`,
      [owner.id],
    )
    expect(distinct).toEqual({ n: 6_500 })
    const sampled = await server.sql(
      `select e.rate, count(*)::int as n from app.click_samples e join app.click_scopes s on s.id = e.account
        where s.ref = $1 group by 1 order by 1`,
      [owner.id],
    )
    expect(sampled).toEqual([
      { rate: 32, n: 203 },
      { rate: 512, n: 13 },
    ])
  })

  test('go with the undo of their import, and visits since stay', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const code = newCode()
    const { imports, id } = await importInto(
      owner,
      archiveWithHits(code, clicksCsv(manyHits(5_400))),
    )
    const link = await linkOf(code)
    await server.sql('select app.apply_api_hit($1)', [link?.id])
    await server.context.analytics.rollups.run()
    expect(await clicksOf(owner)).toMatchObject({ plain: 1, all: 5_401 })
    await imports.act(id, 'undo')
    const undone = await imports.until(id, 'undone')
    // The link was clicked.
    expect(undone.results).toMatchObject({ kept: 1, undone: 1 })
    expect(await clicksOf(owner)).toEqual({
      plain: 1,
      all: 1,
      rows: [{ key: 'counted', clicks: 1 }],
    })
    const integrity = await send(server, owner, 'POST', 'rpc/click_integrity', {})
    expect(integrity.body).toMatchObject({ received: 1, counted: 1, filtered: 0 })
    expect(
      await server.sql(
        `select from app.click_samples e join app.click_scopes s on s.id = e.account where s.ref = $1 and e.verdict = 'i'`,
        [owner.id],
      ),
    ).toEqual([])
  })

  test('wait with their undo while clicks move to ClickHouse', async () => {
    const own = await startTestServer()
    try {
      const owner = await makeAccount(own, { plan: 'business' })
      const imports = importsOf(own, owner)
      const shown = await imports.check(archiveWithHits(newCode(), clicksCsv(manyHits(4))), 'a.zip')
      await own.sql(
        `update app.click_store set state = 'moving', cut_at = now(), moved_before = null`,
      )
      expect(await imports.run(shown.id)).toMatchObject({ state: 'done' })
      await imports.act(shown.id, 'undo')
      const next = async () => {
        const [row] = await own.sql<{ waits: boolean }>(
          `select next_at > now() + interval '30 seconds' as waits from app.imports where id = $1`,
          [shown.id],
        )
        return row?.waits
      }
      await expect.poll(next, { timeout: 20_000 }).toBe(true)
      const hits = () => own.sql(`select from app.click_events where verdict = 'i'`)
      expect(await hits()).toHaveLength(4)
      // The control: when they are moved, it goes on.
      await own.sql(`update app.click_store set state = 'both', cut_at = null`)
      await own.sql('update app.imports set next_at = now()')
      await imports.until(shown.id, 'undone')
      expect(await hits()).toEqual([])
      expect(await own.sql('select from app.clickhouse_import_deletions')).toHaveLength(1)
    } finally {
      await own.close()
    }
  })

  test('are rolled up, and the figures stay the same', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    await importInto(
      owner,
      archiveWithHits(
        newCode(),
        clicksCsv(
          Array.from({ length: 700 }, (_, n) => ({
            // On one day: a day with fewer hits is not rolled up.
            at: `${daysAgo(35).slice(0, 10)}T12:${String(n % 60).padStart(2, '0')}:00Z`,
            country: n % 2 ? 'DE' : 'FR',
          })),
        ),
      ),
    )
    const asked = { ...lastYear(), include: withImported }
    const figures = () =>
      Promise.all(
        (['total', 'country', 'month'] as const).map((by) =>
          reportOf(server, owner, { by, ...asked }),
        ),
      )
    const before = await figures()
    expect(before[0]?.clicks).toBe(700)
    await server.context.analytics.rollups.run()
    await server.context.analytics.rollups.run()
    const [rolled] = await server.sql<{ n: string }>(
      `select sum(r.imported) as n from app.click_rollups r join app.click_scopes s on s.id = r.scope
        where s.ref = $1 and r.dimension = 'total' and r.grain = 'd'`,
      [owner.id],
    )
    expect(rolled).toEqual({ n: '700' })
    const after = await figures()
    const plain = (reports: typeof before) => reports.map(({ clicks, rows }) => ({ clicks, rows }))
    expect(plain(after)).toEqual(plain(before))
    expect((await clicksOf(owner)).plain).toBe(0)
  })

  test('older than the plan keeps are left out, and those beyond the account’s room', async () => {
    const owner = await makeAccount(server, { plan: 'pro' })
    const code = newCode()
    const { row } = await importInto(
      owner,
      archiveWithHits(
        code,
        clicksCsv([
          { at: daysAgo(2) },
          { at: daysAgo(399) },
          { at: daysAgo(401) },
          { at: daysAgo(700) },
        ]),
      ),
    )
    expect(row?.notes).toEqual([
      '2 hits arrived as imported.',
      '2 hits left out: older than your plan keeps.',
    ])
    expect((await clicksOf(owner)).all).toBe(2 - 1)
    await server.sql(
      `update app.click_account_days d set imported = 4999999 - 1 from app.click_scopes s
        where s.ref = $1 and d.account = s.id and d.day > app.today() - 10`,
      [owner.id],
    )
    const full = await importInto(owner, archiveWithHits(newCode(), clicksCsv(manyHits(3))))
    expect(full.row).toMatchObject({
      result: 'made',
      notes: [
        '1 hit arrived as imported.',
        '2 hits left out: an account has at most 5,000,000 hits of archives.',
      ],
    })
  })

  test('bring at most 10,000 new sources, places and browsers a day, and arrive without them then', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    await server.sql('insert into app.import_sources values ($1, app.today(), 9999)', [owner.id])
    const unknown = `${crypto.randomUUID()}.example`
    const { row } = await importInto(
      owner,
      archiveWithHits(newCode(), clicksCsv([{ referrer: unknown }, { city: crypto.randomUUID() }])),
    )
    expect(row?.notes[1]).toMatch(
      /^2 hits may lack their source, place or browser: an account brings at most 10,000/,
    )
    expect(
      await server.sql('select from app.click_origins where referrer = $1', [unknown]),
    ).toEqual([])
    // The control: the next day has room.
    await server.sql('update app.import_sources set day = day - 1 where user_id = $1', [owner.id])
    await importInto(owner, archiveWithHits(newCode(), clicksCsv([{ referrer: unknown }])))
    expect(
      await server.sql('select from app.click_origins where referrer = $1', [unknown]),
    ).toHaveLength(1)
  })
})

describe('a clicks.csv made by hand', () => {
  const refusal = async (clicks: string | Uint8Array) => {
    const owner = await makeAccount(server, { plan: 'business' })
    const response = await importsOf(server, owner).sendFile(
      archiveWithHits(newCode(), clicks),
      'a.zip',
    )
    return [response.status, ((await response.json()) as { error: string }).error]
  }

  test('has its rows refused by name, and the others arrive', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const { row } = await importInto(
      owner,
      archiveWithHits(
        newCode(),
        clicksCsv([
          { at: 'yesterday' },
          { at: minutesAgo(-60) },
          { at: '1969-01-01T00:00:00Z' },
          { verdict: 'COUNTED' },
          { target: `'; drop table` },
          { at: '' },
          { verdict: '' },
          {},
        ]),
      ),
    )
    expect(row?.notes).toEqual([
      'Row 1 is left out: its time cannot be read.',
      'Row 2 is left out: its time is in the future.',
      'Row 3 is left out: its time cannot be read.',
      'Row 4 is left out: its verdict is unknown.',
      'Row 5 is left out: its target is no id.',
      '2 hits more could not be read.',
      '1 hit arrived as imported.',
    ])
  })

  test('has facts that no hit can have made unknown, cut, and plain', async () => {
    const owner = await makeAccount(server, { plan: 'business' })
    const giant = 'x'.repeat(20_000)
    const { row } = await importInto(
      owner,
      archiveWithHits(
        newCode(),
        clicksCsv([
          {
            country: 'QQ',
            device: 'toaster',
            language: 'xx-yy',
            source: 'teleport',
            city: giant,
            browser: `'=1+1`,
            rule: 'a b',
            utm_source: `A\u202eB\0`,
          },
          { country: 'DE', utm_source: `' or 1=1` },
        ]),
      ),
    )
    expect(row?.result).toBe('made')
    const [hit] = await server.sql<Record<string, string>>(
      `select p.country, length(p.city)::text as city, c.device, c.language, c.browser, o.rule, o.utm_source, e.source::text
        from app.click_events e join app.click_scopes s on s.id = e.account join app.click_places p on p.id = e.place
          join app.click_clients c on c.id = e.client join app.click_origins o on o.id = e.origin
        where s.ref = $1 and p.country = ''`,
      [owner.id],
    )
    expect(hit).toEqual({
      country: '',
      city: '80',
      device: '',
      language: '',
      browser: '=1+1',
      rule: '',
      utm_source: 'a b',
      source: 'l',
    })
  })

  test('is refused as a whole where it is no CSV, lacks a column, or has a row of some MB', async () => {
    expect(await refusal('at,kind\r\n1,2\r\n')).toEqual([422, 'clicks.csv has no column target'])
    expect(await refusal(clicksCsv([{}, { city: 'x'.repeat(3_000_000) }]))).toEqual([
      422,
      'clicks.csv: Row 2 is longer than 100 kB',
    ])
    const wide = Array.from({ length: 10_000 }, (_, n) => `c${n}`).join(',')
    expect((await refusal(`${wide}\r\n`))[1]).toMatch(/^clicks\.csv: The file has 10,000 columns/)
    const file = archiveWithHits(newCode(), clicksCsv(manyHits(500, { target: linkThere })))
    const at = Buffer.from(file).indexOf('clicks.csv') + 400
    file.fill(255, at, at + 200)
    const owner = await makeAccount(server, { plan: 'business' })
    const response = await importsOf(server, owner).sendFile(file, 'a.zip')
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
      422,
      'The archive is damaged',
    ])
    expect(await server.sql('select from app.imports where user_id = $1', [owner.id])).toEqual([])
  })
})
