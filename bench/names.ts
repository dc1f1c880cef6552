import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plantOwner } from '#test/visits/plant.ts'
import { startBuilt } from '#test/visits/built.ts'
import { cpuOf, pin } from './shared/cpu.ts'
import { startBenchDatabase } from './shared/database.ts'

// What a name costs that is not in memory, beside one that is, and what more links change: hot codes, then codes that nobody
// has visited before, of 100,000 and of BENCH_LINKS links. The server is on core 0, the load generator and PostgreSQL on core 1.

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 6)
const few = 100_000
const many = Number(process.env.BENCH_LINKS ?? 10_000_000)
/** Fewer than memory holds. */
const hot = 500

if (spawnSync('sh', ['-c', 'command -v wrk']).status !== 0) {
  process.stderr.write('This bench needs wrk: apt-get install wrk\n')
  process.exit(1)
}

const folder = await mkdtemp(join(tmpdir(), 'hoplet-names-'))
const postgres = await startBenchDatabase(folder)
const [postmaster] = readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8').split('\n')
pin(Number(postmaster), 1)
const { sql } = postgres
const start = () =>
  startBuilt({
    DATABASE_URL: postgres.url,
    DATA_DIR: join(folder, 'server'),
    // What is visited once in a while is never in memory.
    NAME_CACHE_SIZE: '1000',
  })

/** Links `from` to `to`, with destinations as people have them, in parts that fit a transaction log. */
async function load(owner: string, from: number, to: number): Promise<number> {
  const startedAt = performance.now()
  for (let at = from; at < to; at += 500_000) {
    const end = Math.min(at + 500_000, to) - 1
    await sql(`
      begin;
      set local session_replication_role = replica;
      set local synchronous_commit = off;
      insert into app.names (name, kind, owner_id)
        select 'code-' || n::bigint * 7919, 'link', '${owner}' from generate_series(${at}, ${end}) n;
      insert into app.shortened_urls (user_id, short_code, original_url)
        select '${owner}', 'code-' || n::bigint * 7919,
          'https://shop' || n % 1000 || '.example.com/products/' || n || '?utm_source=newsletter&utm_campaign=autumn'
        from generate_series(${at}, ${end}) n;
      commit`)
  }
  await sql('vacuum (analyze) app.names')
  await sql('vacuum (analyze) app.shortened_urls')
  return (performance.now() - startedAt) / 1_000
}

const script = (name: string, next: string) => {
  const path = join(folder, `${name}.lua`)
  return writeFile(
    path,
    `local agent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36'
local n = 0
math.randomseed(os.time())
request = function()
  ${next}
  return wrk.format('GET', string.format('/code-%d', n * 7919), { ['User-Agent'] = agent })
end
`,
  ).then(() => path)
}

/** Many more codes in turn than memory holds, in an order that is not that of the table. */
const coldCodes = (from: number, to: number, round: number) => {
  const first = Math.floor(from)
  const count = Math.floor((to - from) / 3)
  return `n = n == 0 and ${first + round} or ${first} + (n - ${first} + 7919) % ${count}`
}

interface Measured {
  rate: number
  /** Microseconds of the server's processor time for each visit, and of PostgreSQL's. */
  cpu: number
  database: number
}

function visits(url: string, pid: number, path: string, connections: number, duration: number) {
  const before = [cpuOf(pid), cpuOf(Number(postmaster))] as const
  const { stdout } = spawnSync(
    'taskset',
    ['-c', '1', 'wrk', '-t1', `-c${connections}`, `-d${duration}s`, '-s', path, url],
    { encoding: 'utf8' },
  )
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1])
  const refused = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1]
  if (refused !== undefined) process.stdout.write(`${refused} refused\n`)
  return {
    rate: Math.round(Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])),
    cpu: (cpuOf(pid) - before[0]) / requests,
    database: (cpuOf(Number(postmaster)) - before[1]) / requests,
  }
}

const middle = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

try {
  await (await start()).end('SIGTERM')
  const owner = await plantOwner(sql)
  const medians: Record<string, number> = {}
  for (const [name, from, to] of [
    ['few', 0, few],
    ['many', few, many],
  ] as const) {
    if (to <= from) continue
    const loadSeconds = await load(owner, from, to)
    const startedAt = performance.now()
    const first = await start()
    const upSeconds = (performance.now() - startedAt) / 1_000
    await first.end('SIGTERM')
    process.stdout.write(
      `${to} links: loaded in ${loadSeconds.toFixed(0)} s; the server is ready after ${upSeconds.toFixed(1)} s\n`,
    )
    const warm = await script('hot', `n = math.random(0, ${hot - 1})`)
    const results: Record<string, Measured[]> = {}
    for (let round = 0; round < rounds; round++) {
      for (const connections of [64, 4, 1]) {
        // The compiler has seen all of it, and the names that follow are not in memory.
        const server = await start()
        const pid = server.process.pid ?? 0
        pin(pid, 0)
        visits(server.url, pid, warm, 64, 2)
        visits(server.url, pid, await script('first', coldCodes(hot, to, round)), 8, 1)
        const run = async (kind: string, next: string) => {
          const measured = visits(
            server.url,
            pid,
            await script('visits', next),
            connections,
            seconds,
          )
          ;(results[`${kind} ${connections}`] ??= []).push(measured)
        }
        await run('hot', `n = math.random(0, ${hot - 1})`)
        await run('cold', coldCodes(hot + (to - hot) / 4, to, round))
        await server.end('SIGTERM')
      }
    }
    for (const [kind, measured] of Object.entries(results)) {
      const [rate, cpu, database] = (['rate', 'cpu', 'database'] as const).map((key) =>
        middle(measured.map((each) => each[key])),
      )
      medians[`${name} ${kind}`] = cpu ?? 0
      process.stdout.write(
        `${name.padEnd(5)} ${kind.padEnd(8)} ${rate} visits/s, ${cpu?.toFixed(1)} us of the server and ${database?.toFixed(1)} us of PostgreSQL a visit\n`,
      )
    }
  }
  const ratio = (a: string, b: string) => ((medians[a] ?? 0) / (medians[b] ?? 1)).toFixed(2)
  process.stdout.write(
    `cold against hot: ${ratio('few cold 64', 'few hot 64')} at 64 connections, ${ratio('few cold 4', 'few hot 4')} at 4, ${ratio('few cold 1', 'few hot 1')} one at a time   (aim: 5)\n`,
  )
  if (many > few)
    process.stdout.write(
      `${many} links against ${few}: hot ${ratio('many hot 64', 'few hot 64')} (aim: 1.1), cold ${ratio('many cold 64', 'few cold 64')}\n`,
    )
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
