import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type NatsCluster, startNatsCluster } from '#test/click-log/nats-cluster.ts'
import { startBuilt } from '#test/visits/built.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { cpuOf, pin } from './shared/cpu.ts'
import { startBenchDatabase } from './shared/database.ts'

// Cost of more processes and more nodes: redirects and applied clicks with 1 and 2 workers and the journal, and with 1 and 3 nodes
// and JetStream, in turn. All processes of Hoplet share core 0; the load generator, NATS and PostgreSQL share core 1. Processor time
// a request then says what a core for each would bring: n times the requests, divided by how much more a request costs.

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 8)
const links = 1_000
const quietMs = 2_000
/** Longer than a lease of the stream: its next reader waits for it. */
const stuckMs = 60_000

interface Configuration {
  name: string
  nodes: number
  workers: number
  /** Servers of the NATS cluster, each with a replica of the stream; 0: the journal. */
  natsServers: number
}

interface Result {
  /** Redirects a second. */
  rate: number
  /** Clicks a second, from the first request until all are applied. */
  applied: number
  /** Processor time of a redirect with its click, in microseconds: of Hoplet, of PostgreSQL and of NATS. */
  cpu: number
  postgres: number
  nats: number
}

const oneWorker: Configuration = { name: '1 worker', nodes: 1, workers: 1, natsServers: 0 }
const twoWorkers: Configuration = { name: '2 workers', nodes: 1, workers: 2, natsServers: 0 }
const oneNode: Configuration = { name: '1 node, 1 NATS', nodes: 1, workers: 1, natsServers: 1 }
const oneNodeThreeNats: Configuration = {
  name: '1 node, 3 NATS',
  nodes: 1,
  workers: 1,
  natsServers: 3,
}
const threeNodes: Configuration = { name: '3 nodes, 3 NATS', nodes: 3, workers: 1, natsServers: 3 }
const configurations = [oneWorker, twoWorkers, oneNode, oneNodeThreeNats, threeNodes]

for (const program of ['wrk', 'nats-server', 'taskset']) {
  if (spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${program}`]).status === 0) continue
  process.stderr.write(`This bench needs ${program}: apt-get install wrk nats-server util-linux\n`)
  process.exit(1)
}

// Its children inherit this: PostgreSQL, NATS and the load generator.
pin(process.pid, 1)
const folder = await mkdtemp(join(tmpdir(), 'hoplet-scale-'))
const postgres = await startBenchDatabase(folder)
const postmaster = Number(
  readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8').split('\n')[0],
)
const clusters = new Map<number, NatsCluster>()
const { sql } = postgres

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

async function start({ name, nodes, workers, natsServers }: Configuration) {
  const cluster = clusters.get(natsServers)
  const servers = await Promise.all(
    Array.from({ length: nodes }, (_, i) =>
      startBuilt({
        DATABASE_URL: postgres.url,
        DATA_DIR: join(folder, `${name} ${i}`),
        WORKERS: String(workers),
        ...(cluster && {
          CLICK_LOG: cluster.url,
          CLICK_LOG_STREAM: `BENCH_${natsServers}`,
          CLICK_LOG_REPLICAS: String(natsServers),
        }),
      }),
    ),
  )
  // Each process listens to the database; with workers, the primary too.
  const wanted = nodes * (workers === 1 ? 1 : workers + 1)
  for (let listeners = 0; listeners !== wanted; await sleep(100)) {
    const rows = await sql(
      `select from pg_stat_activity where application_name = 'hoplet listener'`,
    )
    listeners = rows.length
  }
  for (const server of servers) pin(server.process.pid ?? 0, 0)
  return {
    urls: servers.map(({ url }) => url),
    pids: servers.map(({ process: { pid } }) => pid ?? 0),
    natsPids: cluster?.pids() ?? [],
    end: () => Promise.all(servers.map((server) => server.end('SIGTERM'))),
  }
}

/** Visits all of the links on keep-alive connections, as fast as the responses come. @returns the output of wrk */
async function load(url: string, connections: number, duration: number): Promise<string> {
  const options = ['-t1', `-c${connections}`, `-d${duration}s`, '--latency', '-s', script, url]
  const wrk = spawn('wrk', options, { stdio: ['ignore', 'pipe', 'inherit'] })
  let stdout = ''
  wrk.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  await new Promise((resolve) => wrk.once('close', resolve))
  return stdout
}

const counted = async () => {
  const [row] = await sql<{ clicks: string }>(
    'select sum(click_count) as clicks from app.shortened_urls',
  )
  return Number(row?.clicks)
}

/**
 * Waits until so many clicks are counted, and for a while no more, because wrk ends before its last answers.
 *
 * @returns the clicks, and when the last of them was counted
 * @throws {Error} when some do not come for a minute
 */
async function waitUntilApplied(least: number): Promise<{ clicks: number; at: number }> {
  let clicks = await counted()
  let at = performance.now()
  while (clicks < least || performance.now() < at + quietMs) {
    if (performance.now() > at + stuckMs)
      throw new Error(`${clicks} of ${least} clicks are counted`)
    await sleep(200)
    const now = await counted()
    if (now === clicks) continue
    clicks = now
    at = performance.now()
  }
  return { clicks, at }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const number = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? Number.NaN)

async function measure(round: number, configuration: Configuration): Promise<Result> {
  const { urls, pids, natsPids, end } = await start(configuration)
  // As many for each process, because a batch has the clicks of one turn of an event loop.
  const visitAll = (duration: number) =>
    Promise.all(urls.map((url) => load(url, 64 * configuration.workers, duration)))
  const cpuOfAll = (all: readonly number[]) => sum(all.map(cpuOf))
  const requestsOf = (outputs: readonly string[]) =>
    sum(outputs.map((output) => number(output, /(\d+) requests in/)))
  const earlier = await counted()
  const warmUp = requestsOf(await visitAll(2))
  const { clicks: clicksBefore } = await waitUntilApplied(earlier + warmUp)
  const before = [cpuOfAll(pids), cpuOf(postmaster), cpuOfAll(natsPids)] as const
  const startedAt = performance.now()
  const outputs = await visitAll(seconds)
  const requests = requestsOf(outputs)
  const { clicks, at } = await waitUntilApplied(clicksBefore + requests)
  const result = {
    rate: sum(outputs.map((output) => number(output, /Requests\/sec:\s+([\d.]+)/))),
    applied: ((clicks - clicksBefore) / (at - startedAt)) * 1_000,
    cpu: (cpuOfAll(pids) - before[0]) / requests,
    postgres: (cpuOf(postmaster) - before[1]) / (clicks - clicksBefore),
    nats: (cpuOfAll(natsPids) - before[2]) / requests,
  }
  const failures = outputs.flatMap(
    (output) => /(?:Socket errors|Non-2xx).*/.exec(output)?.[0] ?? [],
  )
  const p99 = outputs.map((output) => /99%\s+(\S+)/.exec(output)?.[1]).join(', ')
  print(
    String(round),
    configuration.name,
    result,
    `p99 ${p99}; ${requests} answered, ${clicks - clicksBefore} applied ${failures.join()}`,
  )
  await end()
  return result
}

function print(round: string, name: string, result: Result, more = ''): void {
  const { rate, applied, cpu, postgres: stored, nats } = result
  process.stdout.write(
    `${round.padEnd(7)} ${name.padEnd(15)} ${rate.toFixed(0).padStart(6)} redirects/s ${applied.toFixed(0).padStart(6)} applied/s, ` +
      `us each: Hoplet ${cpu.toFixed(1)}, PostgreSQL ${stored.toFixed(1)}, NATS ${nats.toFixed(1)}   ${more}\n`,
  )
}

function medianOf(results: readonly Result[]): Result {
  const middle = (of: (result: Result) => number) =>
    results.map(of).toSorted((a, b) => a - b)[results.length >> 1] ?? Number.NaN
  return {
    rate: middle(({ rate }) => rate),
    applied: middle(({ applied }) => applied),
    cpu: middle(({ cpu }) => cpu),
    postgres: middle(({ postgres: stored }) => stored),
    nats: middle(({ nats }) => nats),
  }
}

try {
  // The first start runs the migrations.
  await (await start(oneWorker)).end()
  await plantLinks(
    sql,
    Array.from({ length: links }, (_, i) => ({ code: `bench-${i}`, url: 'https://example.com/' })),
  )
  for (const servers of [1, 3]) clusters.set(servers, await startNatsCluster({ servers }))
  const results = new Map(configurations.map((each) => [each, [] as Result[]]))
  for (let round = 1; round <= rounds; round++)
    for (const [configuration, found] of results) found.push(await measure(round, configuration))
  process.stdout.write('\n')
  const median = (configuration: Configuration) => medianOf(results.get(configuration) ?? [])
  for (const configuration of configurations)
    print('median', configuration.name, median(configuration))
  const compare = (one: Configuration, more: Configuration, count: number) => {
    const factor = median(more).cpu / median(one).cpu
    return `${more.name}: a redirect costs ${factor.toFixed(2)} of that with ${one.name}, so ${(count / factor).toFixed(2)} times the redirects where each has a core`
  }
  process.stdout.write(
    `${compare(oneWorker, twoWorkers, 2)} (aim: 1.7)\n${compare(oneNodeThreeNats, threeNodes, 3)}\n`,
  )
} finally {
  for (const cluster of clusters.values()) await cluster.stop()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
