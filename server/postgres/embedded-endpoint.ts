import { chmod, chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../log.ts'
import type { PostgresUser } from './system-user.ts'

/** Where the embedded PostgreSQL listens: a socket in a folder that only its user can open, or a loopback port. */
export type EmbeddedEndpoint = { socketFolder: string } | { socketFolder: undefined }

// The longest path that a socket address holds, without its final zero.
const maxSocketPathBytes = process.platform === 'linux' ? 107 : 103

/**
 * A Unix socket where the platform has them and the path is short enough: other users of the machine cannot even
 * connect, while a loopback port is open to all of them and protected by the password alone.
 */
export async function chooseEndpoint(
  dataDir: string,
  user: PostgresUser,
  log: Logger,
): Promise<EmbeddedEndpoint> {
  if (process.platform === 'win32') return { socketFolder: undefined }
  const socketFolder = join(dataDir, 'run')
  if (Buffer.byteLength(join(socketFolder, '.s.PGSQL.65535')) > maxSocketPathBytes) {
    log.info(
      { path: dataDir },
      'the path of DATA_DIR is too long for a Unix socket: PostgreSQL listens on a loopback port',
    )
    return { socketFolder: undefined }
  }
  await mkdir(socketFolder, { recursive: true, mode: 0o700 })
  await chmod(socketFolder, 0o700)
  if (user.ids) await chown(socketFolder, user.ids.uid, user.ids.gid)
  return { socketFolder }
}

export function endpointSettings({ socketFolder }: EmbeddedEndpoint): Record<string, string> {
  return socketFolder === undefined
    ? { listen_addresses: '127.0.0.1', unix_socket_directories: '' }
    : {
        listen_addresses: '',
        unix_socket_directories: socketFolder,
        unix_socket_permissions: '0700',
      }
}

/** The end of a connection string. With a socket, `host` names its folder and the port its file. */
export function addressOf(
  { socketFolder }: EmbeddedEndpoint,
  port: number,
  database: string,
): string {
  return socketFolder === undefined
    ? `127.0.0.1:${port}/${database}`
    : `localhost:${port}/${database}?host=${encodeURIComponent(socketFolder)}`
}
