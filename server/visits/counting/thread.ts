import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { createLog } from '../../log.ts'
import { openDatabase } from '../../postgres/database.ts'
import { startCounting } from './counting.ts'
import type { CountingThreadData, ToThread } from './counting-thread.ts'

// The thread that counts the clicks of a server in one process; counting-thread.ts starts it.

const { config, keyId, journal } = workerData as CountingThreadData
const log = createLog(config.logLevel)
// Visits come first on a shared core. On Linux this lowers only the calling thread; elsewhere it would slow the whole server down.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'))
// Only the role of the visits counts.
const pools = { doors: 1, visits: 2, connectTimeoutMs: config.databaseConnectTimeoutMs }
const database = openDatabase(config.databaseUrl, log, pools)
const counting = startCounting({ config, database, log, keyId })
const receive = counting.connect(journal, (message) => parentPort?.postMessage(message))
const end = async () => {
  try {
    await counting.close()
    await database.close()
    parentPort?.close()
  } catch (error) {
    log.error({ err: error }, 'the counting of clicks ended with an error')
    // The process waits for the end of the thread, which an open part would keep alive.
    process.exit()
  }
}
parentPort?.on('message', (message: ToThread) => {
  if (message !== 'close') return receive(message)
  void end()
})
parentPort?.postMessage('ready')
