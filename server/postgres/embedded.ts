import { chmod, chown, mkdir, mkdtemp, realpath, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
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
import { boundLog, clearFormer, type Postmaster, startPostmaster } from './embedded-postmaster.ts'
import { choosePostgresUser, type PostgresUser } from './system-user.ts'
import { withRetries } from '../primitives/with-retries.ts'
import { errorMessage } from '../primitives/caught-error.ts'

export interface EmbeddedPostgres {
  /** For the server: the owner of the database, with CREATEROLE and without superuser rights. */
  url: string
  /** For tests and repairs; the server never uses it. */
  superuserUrl: string
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** An existing folder that only this process uses (see data-dir.ts). */
  dataDir: string
  log: Logger
  /** PostgreSQL settings beside ours, for example `{ max_connections: '20' }`. */
  settings?: Record<string, string>
  /** Instead of those that came with npm: for a cluster of an older version. */
  binaries?: Binaries
}

/** It names the file of the socket, in a separate folder: nothing listens on this port. */
const port = '5432'

const ourSettings = {
  port,
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '128MB',
  // A default of 1 GB would be a tenth of a small disk.
  max_wal_size: '256MB',
  jit: 'off',
  random_page_cost: '1.1',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  // A refused insert is everyday business and its detail can hold an address: only real trouble is logged.
  log_min_messages: 'log',
  log_error_verbosity: 'terse',
  // During a recovery to a point in time it is not ready: read-only connections would be of no use to a start.
  hot_standby: 'off',
}

/**
 * Starts the PostgreSQL that came with npm, its data in `DATA_DIR/postgres`, on a socket in `DATA_DIR/run`; makes the
 * cluster on the first start; restarts it when it dies. Not the wrapper class of the package: see docs/decisions/0002.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log } = options
  const dataDir = await realpath(options.dataDir)
  const folder = clusterFolder(dataDir)
  const binaries = options.binaries ?? (await findBinaries())
  const user = await preparedUser(dataDir, binaries, log)
  await clearFormer(folder, log)
  const { socketFolder: _former, ...secrets } = await prepareCluster(dataDir, binaries, user, log)
  await writeClusterState(dataDir, secrets)

  const logFile = join(dataDir, 'postgres.log')
  const socketFolder = await makeSocketFolder(dataDir, user)
  const settings = {
    ...ourSettings,
    unix_socket_directories: socketFolder,
    ...options.settings,
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = user.command(binaries.postgres, ['-D', folder, ...args])
  const start = () => startPostmaster(command, folder, logFile, log)
  const supervisor = supervise(await startAfterFormer(start, log), start, log)
  await writeClusterState(dataDir, { ...secrets, socketFolder })
  const logTimer = setInterval(() => void boundLog(logFile).catch(() => {}), 60_000).unref()

  return {
    ...urls(secrets, socketFolder),
    async stop() {
      clearInterval(logTimer)
      await supervisor.stop()
      await writeClusterState(dataDir, secrets)
      await rm(socketFolder, { recursive: true, force: true })
    },
  }
}

/** The connection strings of the database that a running server keeps in this folder; undefined when none runs. */
async function runningUrls(dataDir: string): Promise<ReturnType<typeof urls> | undefined> {
  const state = await readClusterState(dataDir)
  return state?.socketFolder === undefined ? undefined : urls(state, state.socketFolder)
}

export async function runningEmbeddedUrl(dataDir: string): Promise<string | undefined> {
  return (await runningUrls(dataDir))?.url
}

/** Connection URL of the superuser, whom only the base backup needs. */
export async function runningSuperuserUrl(dataDir: string): Promise<string | undefined> {
  return (await runningUrls(dataDir))?.superuserUrl
}

/** `host` names the folder of the socket, and the port its file. */
function urls(
  { loginPassword, superuserPassword }: ClusterState,
  socketFolder: string,
): Pick<EmbeddedPostgres, 'url' | 'superuserUrl'> {
  const url = (user: string, password: string, database: string) =>
    `postgres://${user}:${password}@localhost:${port}/${database}?host=${encodeURIComponent(socketFolder)}`
  return {
    url: url(loginRole, loginPassword, databaseName),
    superuserUrl: url('postgres', superuserPassword, 'postgres'),
  }
}

async function preparedUser(
  dataDir: string,
  binaries: Binaries,
  log: Logger,
): Promise<PostgresUser> {
  if (process.getuid?.() === 0) {
    // PostgreSQL's own user has to pass this folder; its contents stay closed to it.
    const { mode } = await stat(dataDir)
    if ((mode & 0o001) === 0) await chmod(dataDir, (mode & 0o777) | 0o011)
  }
  const places = { programs: [binaries.postgres, binaries.initdb], dataDir }
  return choosePostgresUser(places, await clusterOwner(dataDir), log)
}

/** The longest path that a socket address holds, without its final zero. */
const maxSocketPathBytes = process.platform === 'linux' ? 107 : 103

/** A folder that only PostgreSQL's user can open: in DATA_DIR, or a temporary one when that path is too long. */
async function makeSocketFolder(dataDir: string, { ids }: PostgresUser): Promise<string> {
  let folder = join(dataDir, 'run')
  if (Buffer.byteLength(join(folder, `.s.PGSQL.${port}`)) > maxSocketPathBytes) {
    folder = await mkdtemp(join(tmpdir(), 'hoplet-'))
  } else {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { mode: 0o700 })
  }
  if (ids) await chown(folder, ids.uid, ids.gid)
  return folder
}

/** The children of a killed server take a moment to end. */
function startAfterFormer(start: () => Promise<Postmaster>, log: Logger): Promise<Postmaster> {
  const mayRetry = (error: unknown): boolean => {
    const isPassing = errorMessage(error).includes('shared memory block')
    if (isPassing) log.info('PostgreSQL could not start yet, trying again')
    return isPassing
  }
  return withRetries({ attempts: 20, mayRetry, pauseMs: 250 }, start)
}

/** Starts the database again whenever it dies, waiting longer each time up to 5 s. */
function supervise(
  first: Postmaster,
  restart: () => Promise<Postmaster>,
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
