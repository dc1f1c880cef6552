import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type pg from 'pg'
import { freePort } from '#test/free-port.ts'
import { startBenchServer } from './shared/built-server.ts'
import { type BenchUser, signInOrUp } from './shared/people.ts'

// The clicks of `npm run bench -- analytics`, kept with BENCH_FOLDER, moved to ClickHouse (chdb behind its HTTP interface, one
// request at a time; `npm run test:all` installs it), then every report of the screens: are the exact ones of both equal, how
// far off are estimates, and how long do people wait? The aim is a p95 of 200 ms.

const rounds = Number(process.env.BENCH_ROUNDS ?? 10)
const days = Number(process.env.DAYS ?? 365)
const folder = resolve(process.env.BENCH_FOLDER ?? '')
const dayMs = 86_400_000
const run = promisify(execFile)
const say = (text: string) => process.stdout.write(`${text}\n`)

if (process.env.BENCH_FOLDER === undefined) {
  process.stderr.write('BENCH_FOLDER is missing: the folder of npm run bench -- analytics\n')
  process.exit(1)
}

async function startEngine(): Promise<{ url: string; engine: ChildProcess }> {
  const port = await freePort()
  const data = join(folder, 'clickhouse')
  await mkdir(data, { recursive: true })
  const engine = fork(resolve('test/stand-ins/clickhouse/server.mjs'), {
    env: {
      ...process.env,
      STAND_IN_FOLDER: data,
      STAND_IN_PORT: String(port),
      STAND_IN_PASSWORD: 'bench',
    },
  })
  await Promise.race([once(engine, 'message'), once(engine, 'exit')])
  if (engine.exitCode !== null) throw new Error('the engine ended')
  return { url: `http://bench:bench@127.0.0.1:${port}/hoplet`, engine }
}

/** As the screens ask. */
const ranges = { '24 hours': 1, '7 days': 7, '30 days': 30, '90 days': 90, '12 months': days }
const filterSets = {
  'no filter': {},
  'one filter': { country: ['AB'] },
  'three filters': { source: ['qr'], device: ['mobile'], referrer: ['site3.example'] },
}
const seriesOf = (range: number) => (range <= 2 ? 'hour' : range <= 100 ? 'day' : 'month')
const lists = ['target', 'referrer', 'page', 'country', 'browser', 'utm_campaign', 'verdict']
/** Hits that PostgreSQL counts exactly within its time limit. */
const isQuickThere = (range: number, filters: object) =>
  Object.keys(filters).length === 0 ? range > 1 : range <= 7

interface Answer {
  status: number
  text: string
  ms: number
}

async function ask(url: string, person: BenchUser, name: string, body: object): Promise<Answer> {
  const startedAt = performance.now()
  const response = await fetch(`${url}/rest/v1/rpc/${name}`, {
    method: 'POST',
    headers: { ...person.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, text, ms: performance.now() - startedAt }
}

const clicksOf = (answer: Answer | undefined): number =>
  Number((JSON.parse(answer?.text ?? '{}') as { clicks?: number }).clicks ?? 0)
const p95 = (times: number[]) =>
  Math.round(times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0)

async function measure(url: string, person: BenchUser, database: pg.Client): Promise<void> {
  const { rows } = await database.query<{ busiest: string; middle: string }>(
    `select (select ref from app.click_scopes where kind = 'link' order by id limit 1) as busiest,
      (select ref from app.click_scopes where kind = 'link' order by id offset 500 limit 1) as middle`,
  )
  const keepIn = (state: 'both' | 'clickhouse') =>
    database.query('update app.click_store set state = $1', [state])
  const scopes = {
    account: {},
    'busiest link': { _scope: 'link', _id: rows[0]?.busiest },
    'middle link': { _scope: 'link', _id: rows[0]?.middle },
  }
  const all: number[] = []
  let compared = 0
  let different = 0
  let farthest = 0
  for (const [scopeName, scope] of Object.entries(scopes)) {
    for (const [rangeName, range] of Object.entries(ranges)) {
      for (const [filterName, filters] of Object.entries(filterSets)) {
        const times: Record<string, number> = {}
        for (const by of ['total', seriesOf(range), 'weekhour', ...lists]) {
          const to = Math.ceil(Date.now() / dayMs) * dayMs
          const body = {
            _scope: 'account',
            ...scope,
            _by: by,
            _filters: filters,
            _from: new Date(to - range * dayMs).toISOString(),
            _to: new Date(to).toISOString(),
          }
          await keepIn('clickhouse')
          const answers: Answer[] = []
          for (let n = 0; n < rounds; n++)
            answers.push(await ask(url, person, 'click_report', body))
          times[by] = p95(answers.map(({ ms }) => ms))
          all.push(...answers.map(({ ms }) => ms))
          if (answers[0]?.status !== 200) say(`${by}: ${answers[0]?.status} ${answers[0]?.text}`)
          const exact = await ask(url, person, 'click_report', { ...body, _exact: true })
          const clicks = clicksOf(exact)
          if (clicks > 0) farthest = Math.max(farthest, Math.abs(clicksOf(answers[0]) / clicks - 1))
          if (!isQuickThere(range, filters)) continue
          await keepIn('both')
          const postgres = await ask(url, person, 'click_report', { ...body, _exact: true })
          if (postgres.status !== 200) continue
          compared++
          if (postgres.text === exact.text) continue
          different++
          say(`${by} differs:\n  ${postgres.text}\n  ${exact.text}`)
        }
        say(
          `${scopeName}, ${rangeName}, ${filterName}: p95 in ms ${Math.max(...Object.values(times))} ${JSON.stringify(times)}`,
        )
      }
    }
  }
  say(`estimates were off by ${(farthest * 100).toFixed(1)} % at most`)
  say(`${compared} reports compared, ${different} differ; p95 of all ${p95(all)} ms   (aim: 200)`)
}

const { url: clickhouseUrl, engine } = await startEngine()
const server = await startBenchServer({
  env: { RATE_LIMITS: 'off', CLICKHOUSE_URL: clickhouseUrl },
  keptIn: folder,
})
try {
  const person = await signInOrUp(server.url, 'bench@example.com')
  const { rows } = await server.database.query<{ state: string; n: string }>(
    'select state, (select sum(received) from app.click_account_days) as n from app.click_store',
  )
  if (rows[0]?.state === 'postgres' || rows[0]?.state === 'moving') {
    const startedAt = performance.now()
    const { stdout } = await run('node', ['dist/server/command.js', 'move-clicks'], {
      env: {
        ...process.env,
        DATABASE_URL: server.databaseUrl,
        DATA_DIR: join(folder, 'command'),
        CLICKHOUSE_URL: clickhouseUrl,
      },
      maxBuffer: 2 ** 26,
    })
    const seconds = (performance.now() - startedAt) / 1_000
    say(`of ${rows[0].n} hits, in ${seconds.toFixed(0)} s: ${stdout.split('\n').at(-2)}`)
  }
  await measure(server.url, person, server.database)
} finally {
  await server.close()
  engine.kill()
}
