import type { Config } from '../config.ts'

/** Connections of the primary, which only has the jobs and the applier. */
export const primaryShare = { databasePoolSize: 4, visitsPoolSize: 2 }
const listeners = 1
/** For `npm run admin`, backups and a look by hand. */
const spareConnections = 20

/** A worker's share of the limits of the whole server. */
export function workerShare(config: Config) {
  const { workers, databasePoolSize, visitsPoolSize, connectionsPerAddress } = config
  return {
    databasePoolSize: Math.max(2, Math.floor(databasePoolSize / workers)),
    visitsPoolSize: Math.max(2, Math.floor(visitsPoolSize / workers)),
    // 0 is no limit.
    connectionsPerAddress: Math.ceil(connectionsPerAddress / workers),
  }
}

/** The most connections to the database that a server has at once: with workers, while one of them is being replaced. */
export function connectionsOf(config: Config): number {
  if (config.workers === 1)
    return config.databasePoolSize + config.visitsPoolSize + listeners + spareConnections
  const worker = workerShare(config)
  const perWorker = worker.databasePoolSize + worker.visitsPoolSize + listeners
  const { databasePoolSize, visitsPoolSize } = primaryShare
  return (
    (config.workers + 1) * perWorker +
    databasePoolSize +
    visitsPoolSize +
    listeners +
    spareConnections
  )
}
