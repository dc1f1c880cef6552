import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from './process.mjs'

const name = `hoplet-setup-${createHash('sha256').update(root).digest('hex').slice(0, 24)}`
const address =
  process.platform === 'linux'
    ? `\0${name}`
    : process.platform === 'win32'
      ? `\\\\.\\pipe\\${name}`
      : join(tmpdir(), `${name}.sock`)

/**
 * Lets one process at a time install and build in this folder; others wait. The lock is a listening socket, which the
 * operating system releases when its process dies.
 */
export async function withLock(work) {
  const server = await acquire()
  try {
    return await work()
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
}

async function acquire() {
  for (let announced = false; ;) {
    const server = await listen()
    if (server) return server
    if (!(await isHeld())) {
      // On macOS the socket is a file, which outlives its process.
      if (process.platform === 'darwin') rmSync(address, { force: true })
    } else if (!announced) {
      announced = true
      console.log('Waiting for another process that is setting up this folder.')
    }
    await sleep(200)
  }
}

function listen() {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.on('error', () => {}).end())
    server.once('error', () => resolve(undefined))
    server.listen(address, () => resolve(server))
  })
}

function isHeld() {
  return new Promise((resolve) => {
    const socket = connect(address, () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('data', () => {})
    socket.on('end', () => socket.destroy())
  })
}
