import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { startHoplet } from '#server/start.ts'
import { webhookConfig } from '#test/webhooks/calls.ts'
import { examine, quietly, storm } from '#test/webhooks/storm.ts'
import { startBenchDatabase } from './shared/database.ts'
import { signUp } from './shared/people.ts'

// 10,000 events (BENCH_EVENTS) to a receiver that fails at random, hangs, redirects, answers a gigabyte and is restarted, while
// the process that sends is killed. Every event must arrive at least once, in order per link, and verify with the
// specification's library. As in production but for shorter pauses and leases, which would make hours of it.

const events = Number(process.env['BENCH_EVENTS'] ?? 10_000)
const folder = await mkdtemp(join(tmpdir(), 'hoplet-webhooks-'))
const postgres = await startBenchDatabase(folder)
const config = createConfig(
  parseVariables({
    PORT: '0',
    RATE_LIMITS: 'off',
    DATA_DIR: join(folder, 'server'),
    DATABASE_URL: postgres.url,
  }),
)
const { webhooks } = webhookConfig({
  timeoutMs: 2_000,
  leaseSeconds: 6,
  retryPausesSeconds: [0.1, 0.5, 2],
})
const server = await startHoplet({ ...config, ...quietly(webhooks) }, createLog('error'))
try {
  const owner = await signUp(server.url)
  const started = performance.now()
  let told = 0
  const { redirected, ...came } = await storm(
    { ...server, databaseUrl: postgres.url, sql: postgres.sql, owner },
    {
      events,
      links: 200,
      kills: 20,
      restarts: 5,
      onProgress(accepted) {
        if (accepted < told + events / 10) return
        told = accepted
        process.stdout.write(`${accepted} accepted\n`)
      },
    },
  )
  const { lost, outOfOrder, unverified, copies } = examine(came, events)
  const seconds = Math.round((performance.now() - started) / 1_000)
  process.stdout.write(
    `${events} events in ${seconds} s: ${came.arrivals.length} requests, ${lost} lost, ${outOfOrder} out of order, ` +
      `${unverified} not verified, ${redirected} redirects followed, ${copies} copies\n`,
  )
  process.exitCode = lost + outOfOrder + unverified + redirected === 0 ? 0 : 1
} finally {
  await server.stop()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
