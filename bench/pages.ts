import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBenchServer } from './shared/built-server.ts'

// Compares a cached bio page and a cached popup page with the redirect, in one run: the server on core 0, the load
// generator on core 1. All three record the visit before they answer.

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 4)
const connections = 64

/** Browsers accept gzip. */
const browser = `
wrk.headers['Accept-Encoding'] = 'gzip, deflate, br'
wrk.headers['Accept'] = 'text/html'
wrk.headers['User-Agent'] = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36'
`

const lacking = ['wrk', 'taskset'].filter(
  (command) => spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0,
)
if (lacking.length > 0 || availableParallelism() < 2) {
  process.stderr.write(
    'This bench needs two cores, wrk and taskset: apt-get install wrk util-linux\n',
  )
  process.exit(1)
}

const server = await startBenchServer({ core: 0 })
const { url: base, pid, database } = server
try {
  await plant()
  const script = join(server.folder, 'browser.lua')
  await writeFile(script, browser)
  const pages = { redirect: 'bench-link', bio: 'bench-bio', popup: 'bench-popup' }
  const rates: Record<string, number[]> = {}
  const costs: Record<string, number[]> = {}
  process.stdout.write(`${connections} connections, ${seconds} s a round, one core each\n\n`)
  for (const name of Object.values(pages)) load(name, script, 3)
  for (let round = 1; round <= rounds; round++) {
    for (const [kind, name] of Object.entries(pages)) {
      const { rate, p99, cost } = load(name, script, seconds)
      rates[kind] = [...(rates[kind] ?? []), rate]
      costs[kind] = [...(costs[kind] ?? []), cost]
      process.stdout.write(
        `${round}  ${kind.padEnd(9)} ${String(rate).padStart(7)} requests/s   p99 ${p99.padEnd(9)} ${cost.toFixed(1)} µs of processor time\n`,
      )
      await sleep(1_000)
    }
  }
  const middle = (values: number[] = []) =>
    values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
  for (const kind of ['bio', 'popup']) {
    const share = (middle(rates[kind]) / middle(rates['redirect'])).toFixed(2)
    // Processor time varies less than requests per second on a machine that others use too.
    const cost = (middle(costs[kind]) / middle(costs['redirect'])).toFixed(2)
    process.stdout.write(
      `\n${kind} page / redirect: ${share} of its requests/s (aim: 0.50), ${cost} of its processor time`,
    )
  }
  process.stdout.write('\n')
} finally {
  await server.close()
}

interface Load {
  rate: number
  p99: string
  /** Processor time of the server, user and system, per request, in microseconds. */
  cost: number
}

/** User and system time of the server's process so far, in microseconds. Linux counts in hundredths of a second. */
function serverTime(): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

function load(name: string, script: string, duration: number): Load {
  const before = serverTime()
  const options = ['-t1', `-c${connections}`, `-d${duration}s`, '--latency', '-s', script]
  const { stdout, stderr } = spawnSync(
    'taskset',
    ['-c', '1', 'wrk', ...options, `${base}/${name}`],
    {
      encoding: 'utf8',
    },
  )
  const rate = Math.round(Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1] ?? 0))
  if (rate === 0 || /Non-2xx/.test(stdout)) throw new Error(`wrk said: ${stdout}${stderr}`)
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0)
  return {
    rate,
    // Not the line of the thread statistics: its percentage can be 99% too.
    p99: /Latency Distribution[^]*?99%\s+(\S+)/.exec(stdout)?.[1] ?? '',
    cost: (serverTime() - before) / requests,
  }
}

async function plant(): Promise<void> {
  const owner = '00000000-0000-4000-8000-000000000001'
  await database.query(`
    insert into auth.users (id, email) values ('${owner}', 'bench@example.com');
    insert into app.popups (user_id, title, description, cta_url)
      values ('${owner}', 'Ten percent off', 'Everything in the shop, today only.', 'https://shop.example/');
    insert into app.shortened_urls (user_id, short_code, original_url) values
      ('${owner}', 'bench-link', 'https://example.com/landing'),
      ('${owner}', 'bench-popup', 'https://example.com/landing');
    update app.shortened_urls set show_popup = true, popup_id = p.id
      from app.popups p where short_code = 'bench-popup';
    insert into app.bio_pages (user_id, slug, title, description)
      values ('${owner}', 'bench-bio', 'Ada Lovelace', 'Notes on the Analytical Engine');
    insert into app.bio_links (bio_page_id, title, url, link_order)
      select b.id, 'A link to page ' || i, 'https://example.com/' || i, i
      from app.bio_pages b, generate_series(1, 10) i;
    insert into app.bio_social_links (bio_page_id, platform, url, display_order)
      select b.id, p, 'https://example.com/' || p, 0
      from app.bio_pages b, unnest(array['youtube', 'github', 'instagram', 'website']) p`)
}
