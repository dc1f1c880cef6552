import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBuilt } from '#test/visits/built.ts'
import { broken, killRounds } from '#test/visits/history.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { startBenchDatabase } from './shared/database.ts'

// Kills the server 20 times (SIGKILL) under 300 visits a second. Every answered visit must be counted. Clicks in memory are
// the positive control: they are lost.

const rounds = Number(process.env.BENCH_ROUNDS ?? 20)
const folder = await mkdtemp(join(tmpdir(), 'hoplet-kill-'))
const postgres = await startBenchDatabase(folder)
const { sql } = postgres

let failed = false
try {
  // The first start runs the migrations.
  const first = await startBuilt({ DATABASE_URL: postgres.url, DATA_DIR: join(folder, 'first') })
  await first.end('SIGTERM')
  for (const [mode, count] of [
    ['journal', rounds],
    ['memory', 3],
  ] as const) {
    const codes = Array.from({ length: 50 }, (_, i) => ({
      code: `${mode}-${i}`,
      url: 'https://example.com/',
    }))
    const links = await plantLinks(sql, codes)
    const dataDir = join(folder, mode)
    const history = await killRounds({
      databaseUrl: postgres.url,
      dataDir,
      sql,
      links,
      rounds: count,
      isForgetful: mode === 'memory',
      killAfterMs: [1_500, 4_000],
    })
    const total = (key: 'sent' | 'received' | 'counted') =>
      history.reduce((sum, each) => sum + each[key], 0)
    const lost = history.reduce((sum, each) => sum + Math.max(0, each.received - each.counted), 0)
    const invented = history.reduce((sum, each) => sum + Math.max(0, each.counted - each.sent), 0)
    process.stdout.write(
      `${mode}: ${count} kills, ${total('sent')} sent, ${total('received')} answered, ${total('counted')} counted: ${lost} lost, ${invented} invented\n`,
    )
    if (mode === 'journal') failed = broken(history).length > 0
  }
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0
