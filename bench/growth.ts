import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { startHoplet } from '#server/start.ts'
import { type Flood, prepareFloods } from './growth-floods.ts'
import { startBenchDatabase } from './shared/database.ts'

// How many bytes a minute one free account, and one address without an account, can add to each table, with limits on
// (docs/data-growth.md). Each flood runs for BENCH_SECONDS (60) from 127.0.0.1 against a server with a separate database; the first minute has
// the bursts, so it is the worst one. Sizes include indexes and dead rows.

const seconds = Number(process.env['BENCH_SECONDS'] ?? 60)
const only = process.env['BENCH_FLOOD']
const folder = await mkdtemp(join(tmpdir(), 'hoplet-growth-'))
const postgres = await startBenchDatabase(folder)
const dataDir = join(folder, 'server')
const config = createConfig(
  parseVariables({
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: postgres.url,
    WEBHOOK_PRIVATE_ADDRESSES: 'on',
  }),
)
const server = await startHoplet(config, createLog('fatal'))

/** By table; the partitions of a table together. */
async function sizes(): Promise<Map<string, number>> {
  const rows = await postgres.sql<{ name: string; bytes: string }>(
    `select coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as name, sum(pg_total_relation_size(c.oid)) as bytes
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('app', 'auth') and c.relkind in ('r', 'p') group by 1`,
  )
  const journal = await bytesIn(dataDir)
  return new Map([
    ...rows.map(({ name, bytes }) => [name, Number(bytes)] as const),
    ['files of the server', journal],
  ])
}

async function bytesIn(path: string): Promise<number> {
  const names = await readdir(path, { recursive: true }).catch(() => [])
  const found = await Promise.all(
    names.map((name) => stat(join(path, name)).catch(() => undefined)),
  )
  return found.reduce((sum, each) => sum + (each?.isFile() === true ? each.size : 0), 0)
}

async function run(flood: Flood): Promise<{ answers: Map<number, number>; sent: number }> {
  const answers = new Map<number, number>()
  const end = performance.now() + seconds * 1_000
  let sent = 0
  const worker = async () => {
    while (performance.now() < end) {
      const { status, body } = await flood(++sent)
      await body?.cancel()
      answers.set(status, (answers.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  return { answers, sent }
}

try {
  for (const [who, name, flood] of await prepareFloods(server.url)) {
    if (only !== undefined && !name.includes(only)) continue
    const before = await sizes()
    const { answers } = await run(flood)
    const counts = [...answers].map(([status, count]) => `${count} × ${status}`).join(', ')
    process.stdout.write(`\n${who} ${name}: ${counts} in ${seconds} s\n`)
    const grown = [...(await sizes())]
      .map(([table, bytes]) => [table, bytes - (before.get(table) ?? 0)] as const)
      .filter(([, bytes]) => bytes >= 8_192)
      .toSorted(([, a], [, b]) => b - a)
    for (const [table, bytes] of grown)
      process.stdout.write(
        `  ${table}: ${(((bytes / seconds) * 60) / 1e6).toFixed(2)} MB a minute\n`,
      )
  }
} finally {
  await server.stop()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
