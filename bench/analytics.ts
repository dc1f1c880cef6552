import type pg from 'pg'
import { startBenchServer } from './shared/built-server.ts'
import { addLinks, type BenchUser, signInOrUp } from './shared/people.ts'

// Reports of one account with a year of events, generated in the database: EVENTS of them (default: 100,000,000), with
// skewed countries, browsers, origins and links. The account is in the time zone where today is nearly over, because its events
// are not in the rollups yet. Each report of the screens is asked over HTTP; the aim is a p95 of 300 ms. With BENCH_FOLDER the
// database is kept there, and a run of the same day plants only missing events.

const events = Number(process.env.EVENTS ?? 100_000_000)
const days = Number(process.env.DAYS ?? 365)
const rounds = Number(process.env.BENCH_ROUNDS ?? 20)
const links = 1_000

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Where it is past 22:00 now, in hours from UTC. */
const hoursAhead = ((33 - new Date().getUTCHours()) % 24) - 11
const zone = `Etc/GMT${hoursAhead > 0 ? '-' : '+'}${Math.abs(hoursAhead)}`

async function main(): Promise<void> {
  const { url, database, close } = await startBenchServer({
    env: { RATE_LIMITS: 'off' },
    keptIn: process.env.BENCH_FOLDER,
  })
  try {
    const person = await signInOrUp(url, 'bench@example.com')
    await plantAccount(database, person.id)
    const started = performance.now()
    await plantEvents(database)
    await plantPopup(database, person.id)
    say(`planted up to ${events} events in ${seconds(started)} s`)
    await printSizes(database)
    await rollUp(database)
    await database.query('vacuum analyze app.click_rollups, app.click_samples')
    await measureReports(url, person, database)
    await measurePopup(url, person, database)
  } finally {
    await close()
  }
}

/** Once, also in a database that is kept. */
async function plantAccount(database: pg.Client, owner: string): Promise<void> {
  const { rowCount } = await database.query('select from app.click_scopes where ref = $1', [owner])
  if (rowCount !== 0) return
  await database.query(`update app.user_plans set plan_type = 'business' where user_id = $1`, [
    owner,
  ])
  await database.query('update app.profiles set time_zone = $2 where id = $1', [owner, zone])
  await addLinks(database, owner, 0, links)
  await plantDictionaries(database, owner)
}

/** Numbers for 300 clients, 40 countries and 500 origins, and the scopes of the account's links. */
async function plantDictionaries(database: pg.Client, owner: string): Promise<void> {
  await database.query(`
    insert into app.click_clients (device, browser, system, language, bot)
      select (array['mobile', 'desktop', 'tablet'])[1 + n % 3], 'Browser ' || n % 15, 'System ' || n % 8,
        (array['de', 'en', 'fr', 'es', 'ja', 'pt', 'it', 'nl'])[1 + n / 40 % 8], case when n % 20 = 19 then 'Bot ' || n else '' end
      from generate_series(0, 299) n on conflict do nothing;
    insert into app.click_places (country, region, city)
      select chr(65 + n / 26) || chr(65 + n % 26), '', '' from generate_series(0, 39) n on conflict do nothing;
    insert into app.click_origins (referrer, page, utm_source, utm_medium, utm_campaign, utm_term, utm_content)
      select 'site' || n % 120 || '.example', 'site' || n % 120 || '.example/' || n, case when n % 5 = 0 then 'mail' else '' end, '',
        case when n % 5 = 0 then 'campaign ' || n % 30 else '' end, '', '' from generate_series(0, 499) n on conflict do nothing;
    insert into app.click_scopes (kind, ref, user_id) values ('account', '${owner}', '${owner}');
    insert into app.click_scopes (kind, ref, user_id)
      select 'link', l.id, l.user_id from app.shortened_urls l where l.user_id = '${owner}' order by l.id;
    
  `)
}

/** A day a statement, in the order of time, as an applier would store them. */
async function plantEvents(database: pg.Client): Promise<void> {
  const perDay = Math.round(events / days)
  await database.query(`select app.make_click_months(app.today() - ${days + 1}, app.today())`)
  const [ids] = (
    await database.query<{ account: number; first: number }>(
      `select (select id from app.click_scopes where kind = 'account') as account, min(id) as first from app.click_scopes where kind = 'link'`,
    )
  ).rows
  const today = Math.floor(Date.now() / dayMs) * dayMs
  const { rows: planted } = await database.query<{ day: string }>(
    'select day::text from app.click_account_days',
  )
  const isPlanted = new Set(planted.map(({ day }) => day))
  for (let day = days - 1; day >= 0; day--) {
    const start = new Date(today - day * dayMs).toISOString()
    if (isPlanted.has(start.slice(0, 10))) continue
    const received = day === 0 ? Math.floor((perDay * (Date.now() - today)) / dayMs) : perDay
    await database.query(`
      with hits as materialized (
        select '${start}'::timestamptz + n * interval '1 day' / ${perDay} as at,
          hashint8extended((random() ^ 2 * ${perDay})::bigint, ${day}) as visitor,
          ${ids?.first} + (random() ^ 4 * ${links - 1})::integer, ${ids?.account},
          1 + (random() ^ 5 * 499)::integer, 1 + (random() ^ 3 * 39)::integer, 1 + (random() ^ 3 * 299)::integer,
          (array['c', 'c', 'c', 'c', 'c', 'c', 'r', 'r', 'b', 'o'])[1 + (random() * 9)::integer]::"char",
          (array['l', 'l', 'l', 'q', 'b'])[1 + (random() * 4)::integer]::"char"
        from generate_series(0, ${received - 1}) n),
      stored as (insert into app.click_events select * from hits),
      sampled as (insert into app.click_samples select h.*, r.rate
        from hits h cross join (values (32::smallint), (512)) r (rate) where h.visitor & (r.rate - 1) = 7)
      insert into app.click_account_days values (${ids?.account}, '${start.slice(0, 10)}', ${received})`)
    if (day % 30 === 0) say(`${day} days to plant`)
  }
  for (const { name } of (
    await database.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'app.click_events'::regclass`,
    )
  ).rows)
    await database.query(`vacuum analyze ${name}`)
}

/** A popup on three links, with an event for every 20 hits of the account. */
async function plantPopup(database: pg.Client, owner: string): Promise<void> {
  const { rowCount } = await database.query(`select from app.click_scopes where kind = 'popup'`)
  if (rowCount !== 0) return
  await database.query(
    `with popup as (insert into app.popups (user_id, title) values ($1, 'Ten percent off') returning id)
      insert into app.click_scopes (kind, ref, user_id) select 'popup', id, $1 from popup`,
    [owner],
  )
  const perDay = Math.round(events / days / 20)
  for (let day = days - 1; day >= 0; day--)
    await database.query(
      `insert into app.popup_events
        select at, hashint8extended(n / 2, at::date - date '2020-01-01') | 1, p.id, l.id + n % 3, a.id,
          (array['s', 's', 's', 's', 's', 'c', 'n', 'b', 'r', 'l'])[1 + n % 10]::"char", (array['c', 'c', 'c', 'r', 'b'])[1 + n / 10 % 5]::"char"
        from generate_series(1, $2::int) n cross join lateral (
            select app.today() - $1::int + n * interval '1 day' / $2::int as at) t
          cross join (select id from app.click_scopes where kind = 'popup') p cross join (select id from app.click_scopes where kind = 'account') a
          cross join (select min(id) as id from app.click_scopes where kind = 'link') l
        where at < now()`,
      [day, perDay],
    )
  await database.query('vacuum analyze app.popup_events')
}

async function printSizes(database: pg.Client): Promise<void> {
  const { rows } = await database.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(inhrelid)) as bytes from pg_inherits where inhparent = 'app.click_events'::regclass`,
  )
  say(`${(Number(rows[0]?.bytes) / events).toFixed(1)} bytes an event, with indexes`)
}

async function rollUp(database: pg.Client): Promise<void> {
  const started = performance.now()
  for (;;) {
    const { rows } = await database.query<{ account: number; grain: string; day: string }>(
      'select account, grain, day::text from app.due_rollups(200)',
    )
    if (rows.length === 0) break
    for (const { account, grain, day } of rows)
      await database.query('select app.roll_up($1, $2, $3)', [account, grain, day])
  }
  const { rows } = await database.query<{ rollups: string; samples: string }>(
    `select pg_total_relation_size('app.click_rollups') as rollups,
      (select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'app.click_samples'::regclass) as samples`,
  )
  const each = (bytes: string | undefined) => (Number(bytes) / events).toFixed(1)
  say(
    `rolled up in ${seconds(started)} s; ${each(rows[0]?.rollups)} bytes of rollups and ${each(rows[0]?.samples)} of samples an event`,
  )
}

/** As the screens ask: the last day ends with this hour, others with today. */
const ranges = { '24 hours': 1, '7 days': 7, '30 days': 30, '90 days': 90, '12 months': days }
const filterSets = {
  'no filter': {},
  'one filter': { country: ['AB'] },
  'two filters': { country: ['AB', 'AA'], browser: ['Browser 1'] },
  'three filters': { source: ['qr'], device: ['mobile'], referrer: ['site3.example'] },
}
/** BENCH_SCOPES=account measures that one only. */
const wanted = process.env.BENCH_SCOPES?.split(',')
const lists = ['target', 'referrer', 'page', 'country', 'browser', 'utm_campaign', 'verdict']

async function measureReports(url: string, person: BenchUser, database: pg.Client): Promise<void> {
  const { rows } = await database.query<{ busiest: string; middle: string; ahead: string }>(
    `select (select date_part('epoch', (now() at time zone time_zone) - (now() at time zone 'UTC')) * 1000 from app.profiles) as ahead,
      (select ref from app.click_scopes where kind = 'link' order by id limit 1) as busiest,
      (select ref from app.click_scopes where kind = 'link' order by id offset 500 limit 1) as middle`,
  )
  const scopes = {
    account: {},
    'busiest link': { _scope: 'link', _id: rows[0]?.busiest },
    'middle link': { _scope: 'link', _id: rows[0]?.middle },
  }
  let worst = 0
  for (const [scopeName, scope] of Object.entries(scopes)) {
    if (wanted && !wanted.includes(scopeName)) continue
    for (const [rangeName, range] of Object.entries(ranges)) {
      for (const [filterName, filters] of Object.entries(filterSets)) {
        const times: Record<string, number> = {}
        let sampled = false
        for (const by of ['total', seriesOf(range), 'weekhour', ...lists]) {
          const all: number[] = []
          for (let n = 0; n < rounds; n++) {
            const to = endOf(range, Number(rows[0]?.ahead))
            const started = performance.now()
            const report = await ask(url, person, 'click_report', {
              _scope: 'account',
              ...scope,
              _by: by,
              _from: new Date(to - range * dayMs).toISOString(),
              _to: new Date(to).toISOString(),
              _filters: filters,
            })
            all.push(performance.now() - started)
            sampled ||= report.sampled !== null
          }
          times[by] = p95(all)
          worst = Math.max(worst, times[by])
        }
        say(
          `${scopeName}, ${rangeName}, ${filterName}${sampled ? ' (sampled)' : ''}: p95 in ms ${JSON.stringify(times)}`,
        )
      }
    }
  }
  say(`worst p95: ${worst} ms`)
}

async function measurePopup(url: string, person: BenchUser, database: pg.Client): Promise<void> {
  const { rows } = await database.query<{ ref: string; n: string }>(
    `select ref, (select count(*) from app.popup_events) as n from app.click_scopes where kind = 'popup'`,
  )
  for (const range of [7, 30, 90]) {
    const all: number[] = []
    for (let n = 0; n < rounds; n++) {
      const to = Math.ceil(Date.now() / hourMs) * hourMs
      const started = performance.now()
      await ask(url, person, 'popup_report', {
        _id: rows[0]?.ref,
        _from: new Date(to - range * dayMs).toISOString(),
        _to: new Date(to).toISOString(),
      })
      all.push(performance.now() - started)
    }
    say(`popup with ${rows[0]?.n} events, ${range} days: p95 ${p95(all)} ms`)
  }
}

const p95 = (times: number[]) =>
  Math.round(times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0)

/** `aheadMs` of UTC is the account. */
function endOf(range: number, aheadMs: number): number {
  if (range === 1) return Math.ceil(Date.now() / hourMs) * hourMs
  return Math.ceil((Date.now() + aheadMs) / dayMs) * dayMs - aheadMs
}

const seriesOf = (range: number) => (range <= 2 ? 'hour' : range <= 100 ? 'day' : 'month')

async function ask(
  url: string,
  person: BenchUser,
  report: 'click_report' | 'popup_report',
  body: object,
): Promise<{ sampled: unknown }> {
  const response = await fetch(`${url}/rest/v1/rpc/${report}`, {
    method: 'POST',
    headers: { ...person.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json()) as { sampled: unknown }
}

const seconds = (started: number) => Math.round((performance.now() - started) / 1_000)
const say = (text: string) => process.stdout.write(`${text}\n`)

await main()
