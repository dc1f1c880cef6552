import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBuilt } from '#test/visits/built.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { cpuOf, pin } from './shared/cpu.ts'
import { startBenchDatabase } from './shared/database.ts'

// What a second process costs: redirects with WORKERS=1 and WORKERS=2, in turn. All processes of the server share core 0, the load
// generator and PostgreSQL core 1, so that both compete with the same. Processor time a request then says what a core for each
// would bring: twice the requests, divided by how much more a request costs.

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 8)
const links = 1_000

if (spawnSync('sh', ['-c', 'command -v wrk']).status !== 0) {
  process.stderr.write('This bench needs wrk: apt-get install wrk\n')
  process.exit(1)
}

const folder = await mkdtemp(join(tmpdir(), 'hoplet-workers-'))
const postgres = await startBenchDatabase(folder)
const [postmaster] = readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8').split('\n')
// Backends inherit it.
pin(Number(postmaster), 1)
const { sql } = postgres
const applied = async () => {
  const [row] = await sql<{ clicks: string }>('select count(*) as clicks from app.click_events')
  return Number(row?.clicks)
}
const start = (workers: number) =>
  startBuilt({
    DATABASE_URL: postgres.url,
    DATA_DIR: join(folder, `workers-${workers}`),
    WORKERS: String(workers),
  })

const script = join(folder, 'visits.lua')
await writeFile(
  script,
  `math.randomseed(os.time())
request = function()
  return wrk.format('GET', string.format('/bench-%d', math.random(0, ${links - 1})), {
    ['User-Agent'] = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36',
  })
end
`,
)

/** Each process listens to the database; with workers, the primary too. */
async function everyWorker(workers: number): Promise<void> {
  const wanted = workers === 1 ? 1 : workers + 1
  for (;;) {
    const listeners = await sql(
      `select from pg_stat_activity where application_name = 'hoplet listener'`,
    )
    if (listeners.length === wanted) return
    await sleep(100)
  }
}

const middle = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

try {
  await (await start(1)).end('SIGTERM')
  const codes = Array.from({ length: links }, (_, i) => ({
    code: `bench-${i}`,
    url: 'https://example.com/',
  }))
  await plantLinks(sql, codes)
  const results = {
    1: [] as { rate: number; cpu: number }[],
    2: [] as { rate: number; cpu: number }[],
  }
  for (let round = 1; round <= rounds; round++) {
    for (const workers of [1, 2] as const) {
      const server = await start(workers)
      await everyWorker(workers)
      pin(server.process.pid ?? 0, 0)
      const run = (duration: number) =>
        spawnSync(
          'taskset',
          [
            '-c',
            '1',
            'wrk',
            '-t1',
            // As many for each, because a batch of clicks is what arrives in one turn of an event loop.
            `-c${64 * workers}`,
            `-d${duration}s`,
            '--latency',
            '-s',
            script,
            server.url,
          ],
          {
            encoding: 'utf8',
          },
        ).stdout
      run(2)
      const clicksBefore = await applied()
      const before = cpuOf(server.process.pid ?? 0)
      const databaseBefore = cpuOf(Number(postmaster))
      const startedAt = performance.now()
      const stdout = run(seconds)
      // The applier follows within a few seconds: its work belongs to these requests.
      let clicks = -1
      for (let now = await applied(); now !== clicks; now = await applied()) {
        clicks = now
        await sleep(3_000)
      }
      const elapsed = (performance.now() - startedAt) / 1_000
      const requests = Number(/(\d+) requests in/.exec(stdout)?.[1])
      const rate = Math.round(Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]))
      const cpu = (cpuOf(server.process.pid ?? 0) - before) / requests
      const perClick = (cpuOf(Number(postmaster)) - databaseBefore) / (clicks - clicksBefore)
      results[workers].push({ rate, cpu })
      process.stdout.write(
        `${round}  WORKERS=${workers}  ${rate} redirects/s, p99 ${/99%\s+(\S+)/.exec(stdout)?.[1]}, ${cpu.toFixed(1)} us of processor time a redirect with its click; ` +
          `${clicks - clicksBefore} clicks applied within ${elapsed.toFixed(0)} s, ${perClick.toFixed(1)} us of PostgreSQL's each ${/((?:Socket errors|Non-2xx).*)/.exec(stdout)?.[1] ?? ''}\n`,
      )
      await server.end('SIGTERM')
    }
  }
  const of = (workers: 1 | 2, value: 'rate' | 'cpu') =>
    middle(results[workers].map((each) => each[value]))
  process.stdout.write(
    `with two workers a redirect costs ${(of(2, 'cpu') / of(1, 'cpu')).toFixed(2)} of one worker's, ` +
      `so ${((2 * of(1, 'cpu')) / of(2, 'cpu')).toFixed(2)} where each has a core   (aim: 1.7)\n`,
  )
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
