import cluster from 'node:cluster'
import { createConfig } from '#server/config.ts'
import { readEnv } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { startWorkers } from '#server/workers/primary.ts'
import { runWorker } from '#server/workers/worker.ts'
import { openMemorySink } from '#test/visits/journal/memory-sink.ts'

/** For forgetful-main.mjs, which is the entry of the primary and of the workers. */
export async function runForgetful(entry: string): Promise<void> {
  if (cluster.isWorker) return runWorker({ openClickSink: openMemorySink })
  const config = createConfig(readEnv())
  const server = await startWorkers(config, createLog(config.logLevel), { entry })
  process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)))
}
