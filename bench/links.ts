import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createLog } from '#server/log.ts'
import { startEmbeddedPostgres } from '#server/postgres/embedded.ts'
import { freePort } from '#test/free-port.ts'

const sizes = [1_000, 100_000]
const rounds = 200
const columns = 'id,short_code,original_url,show_popup,popup_id,click_count,created_at'

interface Person {
  id: string
  headers: Record<string, string>
}

/** Sends one request per round; `n` is the round. */
type Task = (n: number) => { method: string; path: string; body?: unknown }

/**
 * Measures list, search and create through the table door for an owner of 1,000 and of 100,000 links. Runs against the
 * built server without rate limits, one request at a time. Target: no growth.
 */
async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hoplet-bench-links-'))
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder), log: createLog('fatal') })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = spawn(process.execPath, ['dist/server/main.js'], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATA_DIR: join(folder, 'server'),
      DATABASE_URL: postgres.url,
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const superuser = new URL(postgres.superuserUrl)
  superuser.pathname = new URL(postgres.url).pathname
  const database = new pg.Client({ connectionString: superuser.href })
  try {
    await ready(url)
    await database.connect()
    const person = await signUp(url)
    await database.query(`update app.user_plans set plan_type = 'business' where user_id = $1`, [
      person.id,
    ])
    await addLinks(database, (await signUp(url)).id, 0, 20_000)
    let present = 0
    const results = new Map<string, { p50: number; p99: number }[]>()
    for (const size of sizes) {
      await addLinks(database, person.id, present, size)
      present = size
      for (const [name, task] of tasks(person, size)) {
        const measured = await measure(url, person, task)
        results.set(name, [...(results.get(name) ?? []), measured])
      }
      await database.query(
        'delete from app.shortened_urls where user_id = $1 and is_custom = false',
        [person.id],
      )
    }
    print(results)
  } finally {
    await database.end()
    server.kill('SIGTERM')
    await ended
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function tasks(person: Person, size: number): [string, Task][] {
  const page = `select=${columns}&order=created_at.desc,id.desc&limit=50`
  const mine = `shortened_urls?user_id=eq.${person.id}&${page}`
  const middle = new Date(Date.UTC(2026, 0, 1) + (size / 2) * 1_000).toISOString()
  const search = (text: string) => ({
    method: 'POST',
    path: `rpc/search_links?select=${columns}`,
    body: { _query: text, _limit: 50 },
  })
  const either = (text: string) => `or=(short_code.ilike.*${text}*,original_url.ilike.*${text}*)`
  return [
    ['list, first page', () => ({ method: 'GET', path: mine })],
    [
      'list, page in the middle',
      () => ({ method: 'GET', path: `${mine}&created_at=lte.${middle}` }),
    ],
    ['search_links, 1 match', (n) => search(`needle-${(n * 7) % size}-`)],
    ['search_links, no match', (n) => search(`nothing-${n}`)],
    ['search_links, all match', () => search('example')],
    ['search_links, 2 letters', () => search('zq')],
    [
      'or ilike, 1 match',
      (n) => ({ method: 'GET', path: `${mine}&${either(`needle-${(n * 7) % size}-`)}` }),
    ],
    ['or ilike, all match', () => ({ method: 'GET', path: `${mine}&${either('example')}` })],
    [
      'look a code up',
      (n) => ({
        method: 'GET',
        path: `shortened_urls?select=id&short_code=eq.${codeOf(person.id, n % size)}`,
      }),
    ],
    [
      'create',
      (n) => ({
        method: 'POST',
        path: 'shortened_urls',
        body: { user_id: person.id, original_url: `https://example.com/new/${n}` },
      }),
    ],
    [
      'increment_url_usage',
      () => ({ method: 'POST', path: 'rpc/increment_url_usage', body: { _user_id: person.id } }),
    ],
  ]
}

function codeOf(userId: string, n: number): string {
  return `${userId.slice(0, 8)}-${n}`
}

/** Inserts as the superuser without triggers, because no plan allows this many links. */
async function addLinks(
  database: pg.Client,
  userId: string,
  from: number,
  to: number,
): Promise<void> {
  await database.query('begin')
  await database.query('set local session_replication_role = replica')
  await database.query(
    `with made as (
       insert into app.shortened_urls (user_id, short_code, original_url, is_custom, created_at)
       select $1, $2 || '-' || n, 'https://example.com/' || md5(n::text) || '/needle-' || n || '-?utm_source=letter', true,
         timestamptz '2026-01-01' + n * interval '1 second'
       from generate_series($3::int, $4::int - 1) n returning short_code)
     insert into app.names (name, kind, owner_id) select short_code, 'link', $1 from made`,
    [userId, userId.slice(0, 8), from, to],
  )
  await database.query(
    'update app.user_usage set total_shortened_urls = $2, total_custom_codes = $2 where user_id = $1',
    [userId, to],
  )
  await database.query('commit')
  // Autovacuum would do this within a minute.
  await database.query('vacuum analyze app.shortened_urls, app.names, app.user_usage')
}

async function measure(
  url: string,
  person: Person,
  task: Task,
): Promise<{ p50: number; p99: number }> {
  const times: number[] = []
  for (let n = -20; n < rounds; n++) {
    const { method, path, body } = task(n + 20)
    const started = performance.now()
    const response = await fetch(`${url}/rest/v1/${path}`, {
      method,
      headers: { ...person.headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    if (n >= 0) times.push(performance.now() - started)
  }
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}

function print(results: Map<string, { p50: number; p99: number }[]>): void {
  console.log(`one person's links, ${rounds} requests each, in ms`)
  console.log(
    `${''.padEnd(28)}${sizes.map((size) => `${size.toLocaleString('en')} p50     p99`.padStart(22)).join('')}   growth p50   p99`,
  )
  for (const [name, [small, large]] of results) {
    if (!small || !large) continue
    const cells = [small, large].map(({ p50, p99 }) =>
      `${p50.toFixed(2)} ${p99.toFixed(2).padStart(8)}`.padStart(22),
    )
    console.log(
      `${name.padEnd(28)}${cells.join('')}${`x${(large.p50 / small.p50).toFixed(1)}`.padStart(13)}${`x${(large.p99 / small.p99).toFixed(1)}`.padStart(7)}`,
    )
  }
}

function quantile(values: number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
}

async function signUp(url: string): Promise<Person> {
  const response = await fetch(`${url}/auth/v1/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      email: `bench-${process.hrtime.bigint()}@example.com`,
      password: 'correct horse 42',
    }),
  })
  if (!response.ok) throw new Error(`sign-up: ${response.status} ${await response.text()}`)
  const session = (await response.json()) as { access_token: string; user: { id: string } }
  return { id: session.user.id, headers: { authorization: `Bearer ${session.access_token}` } }
}

async function ready(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const answer = await fetch(`${url}/health/ready`).catch(() => undefined)
    if (answer?.ok) return
    await sleep(100)
  }
  throw new Error('the server did not start')
}

await main()
process.exit(0)
