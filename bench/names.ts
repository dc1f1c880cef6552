import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '#test/free-port.ts'
import { plantOwner } from '#test/visits/plant.ts'
import { startBuilt } from '#test/visits/built.ts'
import { cpuOf, pin } from './shared/cpu.ts'
import { type BenchDatabase, startBenchDatabase } from './shared/database.ts'

// Cost of a name that is not in memory, beside one that is, and the effect of more links: hot codes, then codes that nobody
// has visited before, of 100,000 and of BENCH_LINKS links; hot codes while 1,000 other links change every second; the size of names
// of the memory. The server is on core 0, the load generator and PostgreSQL on core 1.

const run = promisify(execFile)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 6)
const few = 100_000
const many = Number(process.env.BENCH_LINKS ?? 10_000_000)
/** Fewer than memory holds. */
const hot = 500
const changesPerSecond = 1_000

if (spawnSync('sh', ['-c', 'command -v wrk']).status !== 0) {
  process.stderr.write('This bench needs wrk: apt-get install wrk\n')
  process.exit(1)
}

const folder = await mkdtemp(join(tmpdir(), 'hoplet-names-'))
const postgres = await startBenchDatabase(folder)
const [postmaster] = readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8').split('\n')
pin(Number(postmaster), 1)
const adminPort = await freePort()

/** A database with this many links. */
interface Filled extends BenchDatabase {
  name: 'few' | 'many'
  links: number
}

/** Rarely visited names are not in memory, unless it has room for them. */
async function start({ url, name }: Filled, megabytes = 1) {
  const server = await startBuilt({
    DATABASE_URL: url,
    DATA_DIR: join(folder, name),
    NAME_CACHE_MB: String(megabytes),
    ADMIN_PORT: String(adminPort),
  })
  const pid = server.process.pid ?? 0
  pin(pid, 0)
  return { ...server, pid }
}

/** Links with destinations as people have them, in parts that fit a transaction log. Says how long that took. */
async function fill(database: BenchDatabase, name: 'few' | 'many', links: number): Promise<Filled> {
  const filled = { ...database, name, links }
  await (await start(filled)).end('SIGTERM')
  const { sql } = database
  const owner = await plantOwner(sql)
  const startedAt = performance.now()
  for (let at = 0; at < links; at += 500_000) {
    const end = Math.min(at + 500_000, links) - 1
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
  const loadedAt = performance.now()
  const server = await start(filled)
  const took = [loadedAt - startedAt, performance.now() - loadedAt].map((ms) =>
    (ms / 1_000).toFixed(1),
  )
  // Tables of clicks have rows and statistics, as on a server that has run for a while: else their plans decide the result.
  await visit(server, await coldCodes(hot, links, 0), 64, seconds)
  await server.end('SIGTERM')
  await sql('vacuum (analyze)')
  process.stdout.write(
    `${links} links: loaded in ${took[0]} s; the server is ready after ${took[1]} s\n`,
  )
  return filled
}

interface Codes {
  count: number
  /** Number of the first link, and distance between two. */
  first?: number
  step?: number
  /** In Lua: the index after `n`, below `count`. */
  next: string
}

/** The requests are made before they are sent: making one takes longer than sending it, from a core that PostgreSQL needs. */
const script = (name: string, { count, first = 0, step = 1, next }: Codes) => {
  const path = join(folder, `${name}.lua`)
  return writeFile(
    path,
    `local agent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36'
local requests = {}
init = function()
  math.randomseed(os.time())
  for n = 0, ${count - 1} do
    requests[n] = wrk.format('GET', string.format('/code-%d', (${first} + n * ${step}) * 7919), { ['User-Agent'] = agent })
  end
end
local n = 0
request = function()
  n = ${next}
  return requests[n]
end
`,
  ).then(() => path)
}
const hotCodes = await script('hot', { count: hot, next: `math.random(0, ${hot - 1})` })

/** Many more codes in turn than memory holds, in an order that is not that of the table. */
function coldCodes(from: number, to: number, round: number): Promise<string> {
  const all = Math.floor((to - from) / 3)
  const count = Math.min(all, 100_000)
  const step = Math.floor(all / count)
  const next = `(n + 7919) % ${count}`
  return script('cold', { count, first: Math.floor(from) + round, step, next })
}

interface Measured {
  rate: number
  /** Microseconds of the server's processor time for each visit, and of PostgreSQL's. */
  cpu: number
  database: number
}

async function visit(
  { url, pid }: { url: string; pid: number },
  path: string,
  connections: number,
  duration: number,
): Promise<Measured> {
  const before = [cpuOf(pid), cpuOf(Number(postmaster))] as const
  const { stdout } = await run('taskset', [
    '-c',
    '1',
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${duration}s`,
    '-s',
    path,
    url,
  ])
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

/** By database, kind and connections. The databases take turns, so that both meet the same machine. */
async function measureVisits(databases: Filled[]): Promise<Map<string, Measured[]>> {
  const results = new Map<string, Measured[]>()
  for (let round = 0; round < rounds; round++) {
    for (const connections of [64, 4, 1]) {
      for (const database of databases) {
        const { name, links } = database
        const server = await start(database)
        // The compiler has seen all of it, and the names that follow are not in memory.
        await visit(server, hotCodes, 64, 2)
        await visit(server, await coldCodes(hot, links, round), 8, 4)
        const measure = async (kind: string, path: string) => {
          const key = `${name} ${kind} ${connections}`
          const measured = await visit(server, path, connections, seconds)
          results.set(key, [...(results.get(key) ?? []), measured])
        }
        await measure('hot', hotCodes)
        await measure('cold', await coldCodes(hot + (links - hot) / 4, links, round))
        await server.end('SIGTERM')
      }
    }
  }
  return results
}

/** Meanwhile, links change that are not visited: `changesPerSecond`, each in a separate transaction. */
async function whileLinksChange<T>({ url, links }: Filled, work: () => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: url, max: 16, options: '-c role=hoplet_owner' })
  let next = hot
  const timer = setInterval(() => {
    for (let i = 0; i < changesPerSecond / 50; i++) {
      const code = `code-${(next++ % links) * 7919}`
      const text = `update app.shortened_urls set original_url = original_url || '&n=1' where short_code = $1`
      void pool.query({ name: 'change', text, values: [code] })
    }
  }, 20)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await pool.end()
  }
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text()
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.split(' ')[1])
}

/** Hot codes, in turn alone and while others change. */
async function measureChanges(database: Filled): Promise<void> {
  const results: Record<'alone' | 'changing', number[]> = { alone: [], changing: [] }
  const server = await start(database)
  await visit(server, hotCodes, 64, 2)
  const changes = () => metric('hoplet_name_cache_invalidations_total{scope="one"}')
  const flushes = () => metric('hoplet_name_cache_invalidations_total{scope="all"}')
  const flushesBefore = await flushes()
  let heard = 0
  for (let round = 0; round < rounds; round++) {
    results.alone.push((await visit(server, hotCodes, 64, seconds)).cpu)
    const before = await changes()
    const changing = await whileLinksChange(database, () => visit(server, hotCodes, 64, seconds))
    results.changing.push(changing.cpu)
    heard += (await changes()) - before
  }
  const perSecond = Math.round(heard / rounds / seconds)
  const flushed = (await flushes()) - flushesBefore
  await server.end('SIGTERM')
  const [alone, changing] = [middle(results.alone), middle(results.changing)]
  process.stdout.write(
    `${perSecond} changes/s heard, all names outdated ${flushed} times: a hot visit costs ${changing.toFixed(1)} us, ${alone.toFixed(1)} without (${(changing / alone).toFixed(2)})\n`,
  )
}

/** After the names of a few seconds, each visited once. */
async function measureMemory(database: Filled): Promise<void> {
  const server = await start(database, 1_024)
  const residentBytes = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) * 1_024
  const names = () => metric('hoplet_name_cache_entries{kind="found"}')
  await visit(server, hotCodes, 64, 4)
  const [bytesBefore, namesBefore] = [residentBytes(), await names()]
  await visit(server, await coldCodes(hot, database.links, 0), 64, seconds * 3)
  const [counted, found] = [await metric('hoplet_name_cache_bytes'), await names()]
  const perName = (residentBytes() - bytesBefore) / (found - namesBefore)
  await server.end('SIGTERM')
  process.stdout.write(
    `${found} names in memory: ${Math.round(counted / found)} bytes each as counted, ${Math.round(perName)} of the process\n`,
  )
}

try {
  const databases = [await fill(postgres, 'few', few)]
  if (many > few) databases.push(await fill(await postgres.add('many'), 'many', many))
  const medians: Record<string, number> = {}
  for (const [key, measured] of await measureVisits(databases)) {
    const [rate, cpu, database] = (['rate', 'cpu', 'database'] as const).map((each) =>
      middle(measured.map((one) => one[each])),
    )
    medians[key] = cpu ?? 0
    process.stdout.write(
      `${key.padEnd(14)} ${rate} visits/s, ${cpu?.toFixed(1)} us of the server and ${database?.toFixed(1)} us of PostgreSQL a visit\n`,
    )
  }
  const ratio = (a: string, b: string) => ((medians[a] ?? 0) / (medians[b] ?? 1)).toFixed(2)
  process.stdout.write(
    `cold against hot: ${ratio('few cold 64', 'few hot 64')} at 64 connections, ${ratio('few cold 4', 'few hot 4')} at 4, ${ratio('few cold 1', 'few hot 1')} one at a time   (aim: 5)\n`,
  )
  if (many > few)
    process.stdout.write(
      `${many} links against ${few}: hot ${ratio('many hot 64', 'few hot 64')} (aim: 1.1), cold ${ratio('many cold 64', 'few cold 64')}\n`,
    )
  for (const database of databases.slice(0, 1)) await measureChanges(database)
  for (const database of databases.slice(-1)) await measureMemory(database)
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
