import { chmod, realpath, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../log.ts'
import { type Binaries, findBinaries } from './embedded-binaries.ts'
import {
  clusterFolder,
  clusterOwner,
  type ClusterState,
  databaseName,
  loginRole,
  prepareCluster,
  readClusterState,
  writeClusterState,
} from './embedded-cluster.ts'
import { addressOf, listenSettings, prepareSocketFolder } from './embedded-endpoint.ts'
import { boundLog, clearFormer, type Postmaster, startPostmaster } from './embedded-postmaster.ts'
import { choosePostgresUser, type PostgresUser } from './system-user.ts'

export interface EmbeddedPostgres {
  /** For the server: the owner of the database, with CREATEROLE and without superuser rights. */
  url: string
  /** For tests and repairs; the server never uses it. */
  superuserUrl: string
  port: number
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** An existing folder that only this process uses (see data-dir.ts). */
  dataDir: string
  log: Logger
  /** PostgreSQL settings beside ours, for example `{ max_connections: '20' }`. */
  settings?: Record<string, string>
}

const ourSettings = {
  max_connections: '100',
  shared_buffers: '128MB',
  jit: 'off',
  random_page_cost: '1.1',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  // A refused insert is everyday business and its detail can hold an address: only real trouble is logged.
  log_min_messages: 'log',
  log_error_verbosity: 'terse',
}

/**
 * Starts the PostgreSQL that came with npm, its data in `DATA_DIR/postgres`, on a socket in `DATA_DIR/run`; makes the
 * cluster on the first start; restarts it when it dies. Not the wrapper class of the package: see docs/decisions/0002.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log } = options
  const dataDir = await realpath(options.dataDir)
  const folder = clusterFolder(dataDir)
  const binaries = await findBinaries()
  const user = await preparedUser(dataDir, binaries, log)
  await clearFormer(folder, log)
  const { pid: _former, ...state } = await prepareCluster(dataDir, binaries, user, log)
  await writeClusterState(dataDir, state)

  const logFile = join(dataDir, 'postgres.log')
  const socketFolder = await prepareSocketFolder(dataDir, user, log)
  const settings = { ...ourSettings, ...listenSettings(socketFolder), ...options.settings }
  const start = (port: number) => {
    const args = Object.entries({ ...settings, port }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ])
    return startPostmaster(
      user.command(binaries.postgres, ['-D', folder, ...args]),
      folder,
      logFile,
      log,
    )
  }
  const first = await startOnFreePort(state.port, start, log)
  const remember = ({ pid }: Pick<Postmaster, 'pid'>) =>
    writeClusterState(dataDir, { ...state, socketFolder, port: first.port, pid })
  await remember(first.postmaster)
  const supervisor = supervise(first.postmaster, () => start(first.port), remember, log)
  const logTimer = setInterval(() => void boundLog(logFile).catch(() => {}), 60_000).unref()

  return {
    port: first.port,
    ...urls(state, socketFolder, first.port),
    async stop() {
      clearInterval(logTimer)
      await supervisor.stop()
      await writeClusterState(dataDir, { ...state, port: first.port })
    },
  }
}

/** The connection string of the database that a running server keeps in this folder; undefined when none runs. */
export async function runningEmbeddedUrl(dataDir: string): Promise<string | undefined> {
  const state = await readClusterState(dataDir)
  return state?.pid !== undefined && state.port !== undefined
    ? urls(state, state.socketFolder, state.port).url
    : undefined
}

function urls(
  state: ClusterState,
  socketFolder: string | undefined,
  port: number,
): Pick<EmbeddedPostgres, 'url' | 'superuserUrl'> {
  const at = (database: string) => addressOf(socketFolder, port, database)
  return {
    url: `postgres://${loginRole}:${state.loginPassword}@${at(databaseName)}`,
    superuserUrl: `postgres://postgres:${state.superuserPassword}@${at('postgres')}`,
  }
}

async function preparedUser(
  dataDir: string,
  binaries: Binaries,
  log: Logger,
): Promise<PostgresUser> {
  if (process.getuid?.() === 0) {
    // PostgreSQL's own user has to pass this folder; what is in it stays closed to it.
    const { mode } = await stat(dataDir)
    if ((mode & 0o001) === 0) await chmod(dataDir, (mode & 0o777) | 0o011)
  }
  const places = { programs: [binaries.postgres, binaries.initdb], dataDir }
  return choosePostgresUser(places, await clusterOwner(dataDir), log)
}

/** Another program may take the free port before we bind it, and the children of a killed server take a moment to end. */
async function startOnFreePort(
  last: number | undefined,
  start: (port: number) => Promise<Postmaster>,
  log: Logger,
): Promise<{ postmaster: Postmaster; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port =
      (last !== undefined && attempt === 1 && (await freePort(last))) || (await freePort(0))
    if (port === undefined) throw new Error('No loopback port is free for PostgreSQL.')
    try {
      return { postmaster: await start(port), port }
    } catch (error) {
      const passing = error instanceof Error && /in use|shared memory block/i.test(error.message)
      if (!passing || attempt === 20) throw error
      log.info('PostgreSQL could not start yet, trying again')
      await sleep(250)
    }
  }
}

function freePort(wanted: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(undefined))
    probe.listen(wanted, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
    })
  })
}

/** Starts the database again whenever it dies, on the same port, waiting longer each time up to 5 s. */
function supervise(
  first: Postmaster,
  restart: () => Promise<Postmaster>,
  remember: (postmaster: Postmaster) => Promise<void>,
  log: Logger,
): { stop(): Promise<void> } {
  const ending = new AbortController()
  let current: Postmaster | undefined = first
  const watch = async () => {
    let pause = 100
    while (!ending.signal.aborted) {
      if (current) {
        const since = Date.now()
        const how = await current.gone
        if (ending.signal.aborted) return
        log.error({ how }, 'PostgreSQL died; starting it again')
        current = undefined
        if (Date.now() - since > 10_000) pause = 100
      }
      await sleep(pause, undefined, { signal: ending.signal }).catch(() => {})
      if (ending.signal.aborted) return
      pause = Math.min(pause * 2, 5_000)
      try {
        current = await restart()
        await remember(current)
        log.info({ pid: current.pid }, 'PostgreSQL is back')
      } catch (error) {
        log.error({ err: error }, 'PostgreSQL could not be started again')
      }
    }
  }
  const watching = watch()
  return {
    async stop() {
      ending.abort()
      await current?.stop()
      await watching
      await current?.stop()
    },
  }
}
