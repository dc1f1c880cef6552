import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startClickHouse } from '#test/clickhouse/stand-in.ts'
import { freePort } from '#test/free-port.ts'
import { actingFor } from '#test/spaces/space-client.ts'
import { type BuiltServer, startBuilt } from '#test/visits/built.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { startBenchDatabase } from './shared/database.ts'
import { signUp } from './shared/people.ts'

// 10,000 links (BENCH_LINKS) with 1,000,000 hits (BENCH_HITS) move to a space and back under visits, while the server is killed twice. The
// reports of both accounts must be those of before; seconds of the call and of the job, and the visitors' times meanwhile. With
// BENCH_CLICKHOUSE=1 the hits are in ClickHouse (chdb, which npm run test:all installs).

const links = Number(process.env['BENCH_LINKS'] ?? 10_000)
const hits = Number(process.env['BENCH_HITS'] ?? 1_000_000)
const visitsPerSecond = 50
const folder = await mkdtemp(join(tmpdir(), 'hoplet-moves-'))
const postgres = await startBenchDatabase(folder)
const port = String(await freePort())
const clickhouse = process.env['BENCH_CLICKHOUSE'] === '1' ? await startClickHouse() : undefined
const start = () =>
  startBuilt({
    DATABASE_URL: postgres.url,
    DATA_DIR: join(folder, 'server'),
    PORT: port,
    PLANS: 'off',
    LINKS_PER_ACCOUNT: '1000000',
    RATE_LIMITS: 'off',
    ...(clickhouse && { CLICKHOUSE_URL: clickhouse.url }),
  })

let server = await start()
try {
  const owner = await signUp(server.url)
  const made = await rpc(owner, 'create_space', { _slug: 'team', _name: 'Team' })
  const space = { ...actingFor(String(made), { ...owner, claims: {} }), id: String(made) }
  const planted = await plantLinks(
    postgres.sql,
    Array.from({ length: links }, (_, n) => ({ code: `moved-${n}`, url: 'https://example.com/' })),
    owner.id,
  )
  const ids = planted.map(({ id }) => id)
  if (clickhouse) await postgres.sql(`update app.click_store set state = 'clickhouse'`)
  await plantHits(ids)
  await delivered()
  await plantLinks(postgres.sql, [{ code: 'visited', url: 'https://example.com/' }])
  const before = await reports(owner)
  print('before', { clicks: clicksOf(before), ...(await visit(4_000)) })

  for (const [way, from, to] of [
    ['there', owner, space],
    ['back', space, owner],
  ] as const) {
    const calling = performance.now()
    const move = (await rpc(from, 'move_links', { _links: ids, _to_account: to.id })) as {
      id: string
    }
    print(`${way}, the call`, { seconds: (performance.now() - calling) / 1_000 })
    const arriving = performance.now()
    await sleep(2_000)
    await killed()
    print(`${way}, visits`, await visit(4_000))
    for (;;) {
      const [row] = await postgres.sql<{ state: string }>(
        'select state from app.link_moves where id = $1',
        [move.id],
      )
      if (row?.state === 'done') break
      await sleep(250)
    }
    await delivered()
    const [arrived] = await postgres.sql<{ n: number }>(
      `select sum(d.received)::int as n from app.click_account_days d join app.click_scopes s on s.id = d.account where s.ref = $1`,
      [to.id],
    )
    print(`${way}, the hits`, {
      seconds: (performance.now() - arriving) / 1_000,
      arrived: arrived?.n ?? 0,
      memoryMb: await memory(server),
    })
    const after = await reports(to)
    if (JSON.stringify(after) !== JSON.stringify(before))
      throw new Error(`the reports differ ${way}: ${clicksOf(after)} clicks`)
    print(`${way}, the reports`, { equal: before.length })
  }
} finally {
  await server.end('SIGTERM')
  await clickhouse?.close()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}

/** Hits of two months, over all links and 5,000 visitors. */
async function plantHits(ids: readonly string[]) {
  await postgres.sql('select app.make_click_months((app.today() - 62)::date, app.today())')
  const batch = 50_000
  for (let from = 1; from <= hits; from += batch)
    await postgres.sql(
      `with scopes as (select array_agg(scope) as ids, min(account) as account from app.click_scopes_of($1))
        select app.keep_hits(array(select row(now() - interval '1 hour' - n * ($4 * interval '1 second'), n % 5000,
            s.ids[1 + n % cardinality(s.ids)], s.account, 0, 0, 0, (array['c','c','c','r','o','b'])[1 + n % 6]::"char",
            'l'::"char")::app.click_events
          from generate_series($2::integer, $3::integer) n, scopes s))`,
      [ids, from, Math.min(hits, from + batch - 1), (60 * 86_400) / hits],
    )
  await postgres.sql(
    `update app.shortened_urls l set click_count = c.n, first_click_at = c.first, last_click_at = c.last
      from (select s.ref, count(*) filter (where e.verdict = 'c') as n, min(e.at) as first, max(e.at) as last
        from app.click_events e join app.click_scopes s on s.id = e.scope group by 1) c where l.id = c.ref`,
  )
}

/** Waits until ClickHouse has all that PostgreSQL queued for it. */
async function delivered() {
  for (;;) {
    const [row] = await postgres.sql<{ hits: number }>(
      'select hits::int from app.click_outbox_state()',
    )
    if ((row?.hits ?? 0) === 0) return
    await sleep(1_000)
  }
}

/** The clicks of an account in two months, in all ways that its screen shows. */
async function reports(who: { headers: Record<string, string> }): Promise<unknown[]> {
  const _from = new Date(Date.now() - 62 * 86_400_000).toISOString().slice(0, 10)
  const _to = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  const ways = ['total', 'day', 'target', 'country', 'device', 'source']
  const answers: unknown[] = []
  for (const _by of ways) {
    const answer = await rpc(who, 'click_report', { _scope: 'account', _from, _to, _by })
    answers.push(answer)
  }
  return answers.map((answer) => {
    const { clicks, rows } = answer as { clicks: unknown; rows: unknown }
    return { clicks, rows }
  })
}

function clicksOf([total]: unknown[]): number {
  return Number((total as { clicks: number }).clicks)
}

async function rpc(
  who: { headers: Record<string, string> },
  name: string,
  body: object,
): Promise<unknown> {
  const response = await fetch(`${server.url}/rest/v1/rpc/${name}`, {
    method: 'POST',
    headers: { ...who.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as unknown
  if (!response.ok)
    throw new Error(`${name} answered ${response.status}: ${JSON.stringify(answer)}`)
  return answer
}

async function killed(): Promise<void> {
  await server.end('SIGKILL')
  server = await start()
}

/** Milliseconds of redirects at a fixed rate. */
async function visit(forMs: number) {
  const times: number[] = []
  const until = performance.now() + forMs
  const waiting: Promise<unknown>[] = []
  while (performance.now() < until) {
    const at = performance.now()
    waiting.push(
      fetch(`${server.url}/visited`, { redirect: 'manual' }).then(() =>
        times.push(performance.now() - at),
      ),
    )
    await sleep(1_000 / visitsPerSecond)
  }
  await Promise.all(waiting)
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

/** Peak of the resident memory of the process since its start. */
async function memory({ process: { pid } }: BuiltServer): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)
}

function print(what: string, facts: Record<string, number>): void {
  const words = Object.entries(facts).map(([name, value]) => `${name} ${Number(value.toFixed(2))}`)
  process.stdout.write(`${what}: ${words.join(', ')}\n`)
}
