import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { execFile } from 'node:child_process'
import pg from 'pg'
import { createLog } from '#server/log.ts'
import { findBinaries } from '#server/postgres/embedded-binaries.ts'
import { clusterFolder, clusterOwner, readClusterState } from '#server/postgres/embedded-cluster.ts'
import { type Postmaster, startPostmaster } from '#server/postgres/embedded-postmaster.ts'
import { startEmbeddedPostgres } from '#server/postgres/embedded.ts'
import { migrate } from '#server/postgres/migrate.ts'
import { choosePostgresUser } from '#server/postgres/system-user.ts'
import { freePort } from '#test/free-port.ts'

/** One of two PostgreSQL servers. */
export interface Node {
  port: number
  /** The server's login, without superuser rights. */
  url: string
  /** Runs as the superuser, in the database of Hoplet. */
  sql<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    text: string,
    values?: unknown[],
  ): Promise<Row[]>
  /** Every process of it at once, as when its machine is lost. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Stops every process of it where it is, as a machine does that hangs. */
  freeze(): Promise<void>
  thaw(): Promise<void>
}

export interface Pair {
  primary: Node
  replica: Node
  close(): Promise<void>
}

const run = promisify(execFile)
const log = createLog('fatal')
const common = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  wal_level: 'replica',
  hot_standby: 'on',
  max_connections: '100',
  shared_buffers: '32MB',
  timezone: 'UTC',
  log_min_messages: 'fatal',
  wal_receiver_status_interval: '1s',
  wal_retrieve_retry_interval: '100ms',
  max_standby_streaming_delay: '100ms',
}

/**
 * Two real PostgreSQL servers with streaming replication. The replica begins as a copy of the stopped primary.
 *
 * @param synchronous whether a commit waits until the replica has replayed it, once the replica is there
 */
export async function startPair({ synchronous = false } = {}): Promise<Pair> {
  const folder = await mkdtemp(join(tmpdir(), 'hoplet-replica-'))
  const dataDir = join(folder, 'primary')
  await run('mkdir', [dataDir])
  const embedded = await startEmbeddedPostgres({ dataDir, log, settings: { fsync: 'off' } })
  await migrate(embedded.url, log)
  await embedded.stop()
  const state = await readClusterState(dataDir)
  const { loginPassword = '', superuserPassword = '' } = state ?? {}
  const binaries = await findBinaries()
  const owner = await clusterOwner(dataDir)
  const user = await choosePostgresUser(
    { programs: [binaries.postgres], dataDir: folder },
    owner,
    log,
  ).catch(async () => {
    await run('chmod', ['711', folder])
    return choosePostgresUser({ programs: [binaries.postgres], dataDir: folder }, owner, log)
  })
  const copy = join(folder, 'replica')
  await run('cp', ['-a', clusterFolder(dataDir), copy])
  await run('cp', ['-a', join(copy, 'PG_VERSION'), join(copy, 'standby.signal')])
  await writeFile(join(copy, 'standby.signal'), '')

  const nodeOf = async (data: string, own: Record<string, string>) => {
    const port = await freePort()
    const settings = { ...common, ...own, port: String(port) }
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const command = user.command(binaries.postgres, ['-D', data, ...args])
    let postmaster: Postmaster | undefined
    const pool = new pg.Pool({
      connectionString: `postgres://postgres:${superuserPassword}@127.0.0.1:${port}/hoplet`,
      max: 4,
    })
    pool.on('error', () => {})
    const signalAll = async (signal: string) => {
      const { pid } = postmaster ?? {}
      if (pid === undefined) return
      const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(pid)]).catch(() => ({
        stdout: '',
      }))
      const pids = [String(pid), ...stdout.trim().split(/\s+/).filter(Boolean)]
      for (const each of pids) {
        try {
          process.kill(Number(each), signal)
        } catch {
          // It ended meanwhile.
        }
      }
    }
    const node: Node = {
      port,
      url: `postgres://hoplet_login:${loginPassword}@127.0.0.1:${port}/hoplet`,
      sql: async (text, values) => (await pool.query(text, values)).rows,
      async kill() {
        await signalAll('SIGKILL')
        await postmaster?.gone
        postmaster = undefined
      },
      async start() {
        postmaster ??= await startPostmaster(command, data, join(folder, `${port}.log`), log)
      },
      freeze: () => signalAll('SIGSTOP'),
      thaw: () => signalAll('SIGCONT'),
    }
    const close = async () => {
      await pool.end()
      await postmaster?.stop()
    }
    return { node, close }
  }
  const primary = await nodeOf(clusterFolder(dataDir), {})
  await primary.node.start()
  const conninfo = `host=127.0.0.1 port=${primary.node.port} user=postgres password=${superuserPassword} application_name=replica`
  await appendFile(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`)
  const replica = await nodeOf(copy, {})
  await replica.node.start()
  if (synchronous) {
    await primary.node.sql(`alter system set synchronous_standby_names = 'replica'`)
    await primary.node.sql('select pg_reload_conf()')
  }
  return {
    primary: primary.node,
    replica: replica.node,
    async close() {
      await replica.close()
      await primary.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** An address that moves: a TCP proxy with a target that changes, as a virtual IP address or HAProxy does it. */
export async function startMovingAddress(url: string) {
  let target = Number(new URL(url).port)
  const sockets = new Set<Socket>()
  const server = createServer((inner) => {
    const outer = connect(target, '127.0.0.1')
    for (const [socket, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    inner.pipe(outer).pipe(inner)
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const own = new URL(url)
  own.port = String(port)
  return {
    url: own.href,
    moveTo(node: Pick<Node, 'port'>): void {
      target = node.port
      for (const socket of sockets) socket.destroy()
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
