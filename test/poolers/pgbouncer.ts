import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProgram } from '../../scripts/debian-programs.mjs'
import { freePort } from '#test/free-port.ts'

export interface Pooler {
  /** A database address that leads through it. */
  url: string
  close(): Promise<void>
}

const program = findProgram('pgbouncer')
export const hasPgBouncer = program !== undefined

/** A real PgBouncer in front of a database. It does not run as root: then as the user of the database. */
export async function startPgBouncer(
  databaseUrl: string,
  mode: 'transaction' | 'statement',
): Promise<Pooler> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'hoplet-pgbouncer-'))
  await chmod(folder, 0o755)
  const ownPort = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(
    file,
    `[databases]
* = host=${searchParams.get('host') ?? hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
max_client_conn = 200
default_pool_size = 2
`,
  )
  await chmod(file, 0o644)
  const isRoot = process.getuid?.() === 0
  const child = spawn(program ?? '', [...(isRoot ? ['-u', 'postgres'] : []), '-q', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  while (!(await accepts(ownPort))) {
    if (child.exitCode !== null) throw new Error('PgBouncer did not start')
    await sleep(50)
  }
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${ownPort}${pathname}`,
    async close() {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    }).on('error', () => resolve(false))
  })
}
