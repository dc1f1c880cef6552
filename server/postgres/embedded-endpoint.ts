import { chmod, chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../log.ts'
import type { PostgresUser } from './system-user.ts'

// Where the embedded PostgreSQL listens: on a socket in a folder that only its user can open, or, without such a folder,
// on a loopback port, which is open to all users of the machine and protected by the password alone.

/** The longest path that a socket address holds, without its final zero. */
const maxSocketPathBytes = process.platform === 'linux' ? 107 : 103

/** Makes the folder of the socket; undefined when its path is too long. */
export async function prepareSocketFolder(
  dataDir: string,
  user: PostgresUser,
  log: Logger,
): Promise<string | undefined> {
  const folder = join(dataDir, 'run')
  if (Buffer.byteLength(join(folder, '.s.PGSQL.65535')) > maxSocketPathBytes) {
    log.info(
      { path: dataDir },
      'the path of DATA_DIR is too long for a Unix socket: PostgreSQL listens on a loopback port',
    )
    return undefined
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  if (user.ids) await chown(folder, user.ids.uid, user.ids.gid)
  return folder
}

export function listenSettings(socketFolder: string | undefined): Record<string, string> {
  return {
    listen_addresses: socketFolder === undefined ? '127.0.0.1' : '',
    unix_socket_directories: socketFolder ?? '',
    unix_socket_permissions: '0700',
  }
}

/** The end of a connection string. With a socket, `host` names its folder and the port its file. */
export function addressOf(
  socketFolder: string | undefined,
  port: number,
  database: string,
): string {
  return socketFolder === undefined
    ? `127.0.0.1:${port}/${database}`
    : `localhost:${port}/${database}?host=${encodeURIComponent(socketFolder)}`
}
