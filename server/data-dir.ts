import { access, chmod, constants, readdir, realpath, rm, stat } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from './log.ts'
import { makeFolders } from './primitives/make-folders.ts'
import { sha256Hex } from './primitives/sha256.ts'
import { errorMessage } from './primitives/caught-error.ts'

/** With an owner that does not answer, an attempt takes up to 2 s. */
const maxAttempts = 10

/**
 * Makes the data directory when it is missing and claims it for this process alone.
 *
 * @throws {Error} when it cannot be made or written, or another server has it; with a message for the operator
 */
export async function openDataDir(path: string, log: Logger) {
  const folder = await makeFolder(path)
  const address = await lockAddress(folder)
  const { server, pid } = await claim(address)
  if (!server || !(await haveWritersEnded(folder))) {
    const who = pid === undefined ? 'Another Hoplet' : `Another Hoplet (process ${pid})`
    throw new Error(
      `${who} is running on the data directory ${folder}. Stop it first, or give this one a DATA_DIR and a PORT of its own.`,
    )
  }
  log.debug({ path: folder }, 'data directory claimed')
  return {
    /** Absolute, without symbolic links. */
    path: folder,
    /** Releases the lock; so does process exit. */
    release: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/**
 * Claims the folder of a worker's journal until the process ends. The next server of the data directory waits for that: a worker
 * may outlive a killed server by a moment.
 *
 * @throws {Error} when another process has it
 */
export async function claimJournal(folder: string): Promise<void> {
  const { server } = await claim(await lockAddress(await makeFolder(folder)), { answers: false })
  if (!server) throw new Error(`Another process writes to ${folder}`)
}

/** Waits for workers of a killed server. False: one does not end. */
async function haveWritersEnded(dataDir: string): Promise<boolean> {
  const journals = join(dataDir, 'journal')
  const entries = await readdir(journals, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (!entry.isDirectory()) continue
    const { server } = await claim(await lockAddress(join(journals, entry.name)))
    if (!server) return false
    server.close()
  }
  return true
}

/** The process that has the data directory now; undefined when none has, or there is no such folder. */
export async function dataDirOwner(path: string): Promise<number | undefined> {
  try {
    return await askPid(await lockAddress(await realpath(path)))
  } catch {
    return undefined
  }
}

async function makeFolder(path: string): Promise<string> {
  try {
    const isNew = await makeFolders(resolve(path))
    // As root, PostgreSQL runs as another user, who has to pass this folder to reach its own.
    if (isNew) await chmod(path, process.getuid?.() === 0 ? 0o711 : 0o700)
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return await realpath(path)
  } catch (error) {
    const why = errorMessage(error)
    throw new Error(`The data directory ${path} cannot be used: ${why}`, { cause: error })
  }
}

/**
 * The lock is a listening local socket, named after the folder itself rather than its path: binding it is atomic,
 * and the system takes it away with the process, however that ends. See docs/decisions/0004.
 */
async function lockAddress(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true })
  const name = `hoplet-${sha256Hex(`${dev}:${ino}`).slice(0, 32)}`
  if (process.platform === 'linux') return `\0${name}`
  return join(tmpdir(), `${name}.sock`)
}

interface ClaimOptions {
  /** Whether the owner says its process id, so that others need not wait for its end. Default: true. */
  answers?: boolean
}

/** @returns the lock, or the process that has it, as far as it says so */
async function claim(
  address: string,
  { answers = true }: ClaimOptions = {},
): Promise<{ server?: Server; pid?: number | undefined }> {
  for (let attempt = 1; ; attempt++) {
    const server = (await bind(address, answers)) ?? (await bindAfterCrash(address, answers))
    if (server) return { server }
    const pid = await askPid(address)
    if (pid !== undefined || attempt === maxAttempts) return { pid }
    await sleep(100)
  }
}

function bind(address: string, answers: boolean): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      if (answers) socket.end(`${process.pid}\n`)
      else socket.destroy()
    })
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined)
      else reject(error)
    })
    server.listen(address, () => resolve(server.unref()))
  })
}

/** Where sockets are files (macOS), a killed server leaves its file behind, without a listener. */
async function bindAfterCrash(address: string, answers: boolean): Promise<Server | undefined> {
  if (process.platform === 'linux') return undefined
  if ((await askPid(address)) !== undefined) return undefined
  await rm(address, { force: true })
  return bind(address, answers)
}

function askPid(address: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(address)
    socket.setTimeout(2_000, () => socket.destroy())
    socket.on('data', (chunk) => (answer += chunk.toString()))
    socket.on('error', () => {})
    socket.on('close', () => {
      const pid = Number.parseInt(answer, 10)
      resolve(Number.isSafeInteger(pid) ? pid : undefined)
    })
  })
}
