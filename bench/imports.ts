import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#test/free-port.ts'
import { importsOf } from '#test/transfer/import-client.ts'
import { startBuilt, type BuiltServer } from '#test/visits/built.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { startBenchDatabase } from './shared/database.ts'
import { signUp } from './shared/people.ts'

// 100,000 rows (BENCH_ROWS) of a file become links while the server is killed three times: in the dry run, and twice in the job. Each row
// must be there once. Redirects at a fixed rate are compared with those of a pause of the job, in the same run.

const total = Number(process.env['BENCH_ROWS'] ?? 100_000)
const visitsPerSecond = 100
const folder = await mkdtemp(join(tmpdir(), 'hoplet-imports-'))
const postgres = await startBenchDatabase(folder)
const port = String(await freePort())
const start = () =>
  startBuilt({
    DATABASE_URL: postgres.url,
    DATA_DIR: join(folder, 'server'),
    PORT: port,
    PLANS: 'off',
    LINKS_PER_ACCOUNT: '1000000',
  })

let server = await start()
try {
  const owner = await signUp(server.url)
  const imports = importsOf(server, owner)
  await plantLinks(postgres.sql, [{ code: 'visited', url: 'https://example.com/' }])
  const lines = Array.from(
    { length: total },
    (_, i) =>
      `https://shop.example/item/${i}?utm_source=news,imp-${i},Item ${i} of the catalog,"shop,item ${i % 20}",2021-03-04T05:06:07Z`,
  )
  const file = `original_url,short_code,title,tags,created_at\n${lines.join('\n')}\n`
  const startedAt = performance.now()
  const response = await imports.sendFile(file, 'links.csv')
  const { id } = (await response.json()) as { id: string }
  print('file', { MB: Math.round(file.length / 1e6), ms: performance.now() - startedAt })
  await sleep(3_000)
  await killed()
  const checking = performance.now()
  await reached(id, ({ state }) => state === 'ready')
  print('dry run', {
    seconds: (performance.now() - checking) / 1_000,
    memoryMb: await memory(server),
  })

  await imports.confirm(id)
  const running = performance.now()
  for (const part of [1, 2]) {
    await reached(id, ({ results }) => (results.made ?? 0) > (total * part) / 4)
    await killed()
  }
  // Rounds with the job paused and at work, so that the noise of the machine meets both.
  for (const round of [1, 2, 3]) {
    await imports.act(id, 'pause')
    await sleep(1_000)
    print(`redirects, round ${round}, paused`, await visit(8_000))
    await imports.act(id, 'resume')
    print(`redirects, round ${round}, at work`, await visit(8_000))
  }
  await reached(id, ({ state }) => state === 'done')
  print('job', { minutes: (performance.now() - running) / 60_000, memoryMb: await memory(server) })

  const [counted] = await postgres.sql<{ links: number; codes: number }>(
    `select count(*)::int as links, count(distinct short_code)::int as codes from app.shortened_urls
      where short_code like 'imp-%'`,
  )
  print('links', counted ?? {})
  process.exitCode = counted?.links === total ? 0 : 1

  async function reached(
    one: string,
    isReached: (shown: Awaited<ReturnType<typeof imports.show>>) => boolean,
  ): Promise<void> {
    for (;;) {
      const shown = await imports.show(one)
      if (isReached(shown)) return
      if (shown.state === 'failed') throw new Error(shown.notice ?? 'failed')
      await sleep(250)
    }
  }
} finally {
  await server.end('SIGTERM')
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}

async function killed(): Promise<void> {
  await server.end('SIGKILL')
  server = await start()
}

/** Peak of the resident memory of the process since its start. */
async function memory({ process: { pid } }: BuiltServer): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)
}

/** Milliseconds of redirects at a fixed rate. */
async function visit(forMs: number) {
  const times: number[] = []
  const until = performance.now() + forMs
  const waiting: Promise<unknown>[] = []
  while (performance.now() < until) {
    const at = performance.now()
    const key = randomBytes(4).toString('hex')
    waiting.push(
      fetch(`${server.url}/visited?${key}`, { redirect: 'manual' }).then(() =>
        times.push(performance.now() - at),
      ),
    )
    await sleep(1_000 / visitsPerSecond)
  }
  await Promise.all(waiting)
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0
  return { visits: sorted.length, p50: at(0.5), p99: at(0.99) }
}

function print(what: string, facts: Record<string, number>): void {
  const words = Object.entries(facts).map(([name, value]) => `${name} ${Number(value.toFixed(2))}`)
  process.stdout.write(`${what}: ${words.join(', ')}\n`)
}
