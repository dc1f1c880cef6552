import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Contender, startContenders } from './redirect-contenders.ts'

// Compares Hoplet's redirect with nginx `return 302` and with a bare node:http server over a Map, in one run: each
// server on core 0, the load generator on core 1, PostgreSQL on core 1 with the lowest priority. BENCH_BEFORE is the folder of
// another checkout with a build, which takes its turn. While PostgreSQL counts clicks, the load generator waits for its core, up to
// a tick of the kernel (4 ms), and takes that for latency: so the bare server is measured beside as much work of PostgreSQL too.

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const connections = 64
const links = 100_000

const lacking = ['wrk', 'nginx', 'taskset'].filter(
  (command) => spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0,
)
if (lacking.length > 0 || availableParallelism() < 2) {
  process.stderr.write(
    'This bench needs two cores, wrk, nginx and taskset: apt-get install wrk nginx-light util-linux\n',
  )
  process.exit(1)
}

interface Result {
  rate: number
  /** Processor time per request, in microseconds; independent of other load on the machine. */
  cpu: number
  /** The part of the thread that answers. */
  answering: number
  /** In milliseconds. */
  p99: number
  requests: number
  /** The share of a core that PostgreSQL took. */
  database: number
  errors: string
}

async function load(contender: Contender, script: string, duration: number): Promise<Result> {
  const { url, cpu, answering, host = '127.0.0.1' } = contender
  const before = [cpu(), answering(), contenders.databaseCpu()] as const
  const options = ['-t1', `-c${connections}`, `-d${duration}s`, '--latency', '-s', script]
  const { stdout, stderr } = await promisify(execFile)('taskset', [
    '-c',
    '1',
    'wrk',
    ...options,
    url,
    '--',
    host,
  ])
  const find = (pattern: RegExp) => pattern.exec(stdout)?.[1] ?? ''
  const rate = Math.round(Number(find(/Requests\/sec:\s+([\d.]+)/)))
  if (rate === 0) throw new Error(`wrk said: ${stdout}${stderr}`)
  const requests = Number(find(/(\d+) requests in/))
  return {
    rate,
    cpu: (cpu() - before[0]) / requests,
    answering: (answering() - before[1]) / requests,
    p99: milliseconds(find(/99%\s+(\S+)/)),
    requests,
    database: (contenders.databaseCpu() - before[2]) / (duration * 1_000_000),
    errors: find(/((?:Socket errors|Non-2xx).*)/),
  }
}

/** Milliseconds of a time as wrk writes it: 548.00us, 4.79ms or 1.02s. */
function milliseconds(time: string): number {
  const unit = time.endsWith('us') ? 0.001 : time.endsWith('ms') ? 1 : 1000
  return Number.parseFloat(time) * unit
}

/** One prepared request string per link, so that building requests costs no time during the run. */
/** One in four visits is a scan of a QR code, if there are scans. */
const script = (next: string, { from = 0, hasScans = false } = {}) => `
local requests = {}
local at = ${from}
init = function(args)
  math.randomseed(os.time())
  for i = 1, ${links} do
    local path = ${hasScans} and i % 4 == 0 and '/Q/BENCH-%06d' or '/bench-%06d'
    requests[i] = wrk.format('GET', string.format(path, i), {
      ['Host'] = args[1], ['Accept'] = 'text/html', ['Referer'] = 'https://social.example/feed',
      ['User-Agent'] = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36',
    })
  end
end
request = function()
  at = ${next}
  return requests[at]
end
`

const middle = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const folder = await mkdtemp(join(tmpdir(), 'hoplet-bench-'))
const contenders = await startContenders(folder, links)
try {
  const spread = join(folder, 'spread.lua')
  const typed = join(folder, 'typed.lua')
  const hot = join(folder, 'hot.lua')
  const sequentialScript = join(folder, 'in-turn.lua')
  await writeFile(spread, script(`math.random(${links})`, { hasScans: true }))
  await writeFile(typed, script(`math.random(${links})`))
  const ruled = join(folder, 'ruled.lua')
  await writeFile(hot, script('1'))
  await writeFile(ruled, script('2'))
  const results = new Map(contenders.all.map(({ name }) => [name, [] as Result[]]))
  let answered = 0
  let counting = 0
  const measure = async (contender: Contender, script: string, duration: number) => {
    const stop = contender.isBesideSql ? contenders.occupyDatabase(counting) : undefined
    const result = await load(contender, script, duration)
    await stop?.()
    if (contender.name === 'ours') {
      answered += result.requests
      counting = result.database
    }
    return result
  }

  process.stdout.write(
    `${links} links, ${connections} connections, ${seconds} s a round, one core each\n\n`,
  )
  for (const contender of contenders.all) {
    // Visits each link once first: the bench measures redirects, not first look-ups.
    for (let visited = 0; visited < links;) {
      await writeFile(sequentialScript, script(`at % ${links} + 1`, { from: visited }))
      visited += (await measure(contender, sequentialScript, 4)).requests
    }
    await contenders.settled()
  }
  for (let round = 1; round <= rounds; round++) {
    for (const contender of contenders.all) {
      // A release before 1.1 has no addresses of scans.
      const visits = contender.name === 'before' ? typed : spread
      const result = await measure(contender, visits, seconds)
      results.get(contender.name)?.push(result)
      process.stdout.write(
        `${round}  ${contender.name.padEnd(15)} ${String(result.rate).padStart(7)} requests/s   p99 ${result.p99.toFixed(2).padStart(5)} ms   ${result.cpu.toFixed(1)} us of processor time a request, ${result.answering.toFixed(1)} in the thread that answers, PostgreSQL ${Math.round(result.database * 100)} % of a core ${result.errors}\n`,
      )
      await contenders.settled()
    }
  }
  const rateOf = (name: string) => middle((results.get(name) ?? []).map(({ rate }) => rate))
  const timeOf = (name: string, part: 'cpu' | 'answering') =>
    middle((results.get(name) ?? []).map((result) => result[part]))
  const compare = (name: string, aim: string) =>
    `ours / ${name.padEnd(15)} ${(rateOf('ours') / rateOf(name)).toFixed(2)} of its requests/s, ${(timeOf(name, 'cpu') / timeOf('ours', 'cpu')).toFixed(2)} by processor time, ${(timeOf(name, 'answering') / timeOf('ours', 'answering')).toFixed(2)} by that of the thread that answers   (aim: ${aim})\n`
  process.stdout.write(`\n${compare('nginx', '0.50')}${compare('bare node:http', '0.85')}`)
  process.stdout.write(
    `a domain / ours: ${(rateOf('domain') / rateOf('ours')).toFixed(2)} of its requests/s, ${(timeOf('ours', 'cpu') / timeOf('domain', 'cpu')).toFixed(2)} by processor time   (aim: 0.90)\n`,
  )
  if (results.has('before')) process.stdout.write(compare('before', '0.97'))
  const p99Of = (name: string) => middle((results.get(name) ?? []).map(({ p99 }) => p99))
  const compareP99 = (name: string) =>
    `ours / ${name.padEnd(15)} ${(p99Of('ours') / p99Of(name)).toFixed(2)} of its p99`
  process.stdout.write(
    `${compareP99('bare node:http')}\n${compareP99('bare beside SQL')}   (aim: 1.30)\n`,
  )
  const [ours] = contenders.all
  if (ours) {
    await contenders.giveRules()
    const one: Result[] = []
    const two: Result[] = []
    for (let round = 1; round <= rounds; round++) {
      one.push(await measure(ours, hot, seconds))
      two.push(await measure(ours, ruled, seconds))
    }
    const rate = (of: Result[]) => middle(of.map((result) => result.rate))
    const cpu = (of: Result[]) => middle(of.map((result) => result.cpu))
    process.stdout.write(
      `all on one code / spread over ${links}: ${(rate(one) / rateOf('ours')).toFixed(2)} (${cpu(one).toFixed(1)} us a request)   (aim: 0.90)\n` +
        `one code with ten rules / without: ${(rate(two) / rate(one)).toFixed(2)}, ${(cpu(one) / cpu(two)).toFixed(2)} by processor time (${cpu(two).toFixed(1)} us a request)   (aim: 0.80)\n`,
    )
  }
  const { counted, events } = await contenders.counts()
  // At the end wrk hangs up on pending responses: Hoplet counts those visits, wrk does not.
  process.stdout.write(
    `clicks: ${answered} answered, ${counted} counted, ${events} events: ${
      counted >= answered && counted === events ? 'none lost' : 'LOST'
    }\n`,
  )
} finally {
  await contenders.stop()
  await rm(folder, { recursive: true, force: true })
}
