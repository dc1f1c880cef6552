import { execFile, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { copyFile, readFile, readlink, realpath, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Logger } from '../log.ts'
import { errorCode } from '../primitives/error-code.ts'
import type { Command } from './system-user.ts'

const run = promisify(execFile)
const logLimit = 8 * 1024 * 1024

/** A running PostgreSQL server process. */
export interface Postmaster {
  pid: number
  /** Settles when the process is gone, however it went. */
  gone: Promise<string>
  /** Fast shutdown; an immediate one, which recovers at the next start, after 15 s. */
  stop(): Promise<void>
}

/**
 * Starts the server and waits until it accepts connections, crash recovery included, however long that takes.
 *
 * @throws with the end of its log when it dies before that
 */
export async function startPostmaster(
  { file, args, options }: Command,
  folder: string,
  logFile: string,
  log: Logger,
): Promise<Postmaster> {
  await boundLog(logFile)
  const logged = (await stat(logFile).catch(() => undefined))?.size ?? 0
  const output = openSync(logFile, 'a', 0o600)
  // Its own process group: a signal to ours (Ctrl-C) must not stop the database before the server has drained.
  const child = spawn(file, args, { ...options, detached: true, stdio: ['ignore', output, output] })
  closeSync(output)
  let alive = true
  const gone = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  }).finally(() => (alive = false))
  const { pid } = child
  if (pid === undefined) throw new Error(`PostgreSQL could not be started: ${await gone}`)

  // A process that ends by itself leaves no database behind; one that is killed leaves an orphan to the next start.
  const lastResort = () => signal(pid, 'SIGINT')
  process.once('exit', lastResort)
  void gone.then(() => process.off('exit', lastResort))

  let waited = 0
  while (alive && (await readPidFile(folder))?.readyPid !== pid) {
    await Promise.race([sleep(20), gone])
    waited += 20
    if (waited % 10_000 === 0) log.info('PostgreSQL is still recovering')
  }
  if (!alive) {
    const output = (await readFile(logFile)).subarray(logged).toString().trim()
    throw new Error(`PostgreSQL did not start (${await gone}): ${output.slice(-2_000)}`)
  }

  return {
    pid,
    gone,
    async stop() {
      await end(pid, async () => !alive)
    },
  }
}

/** A fast shutdown, then an immediate one, then the last resort. @returns whether it is gone */
async function end(pid: number, isGone: () => Promise<boolean>): Promise<boolean> {
  const steps: [NodeJS.Signals, number][] = [
    ['SIGINT', 15_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ]
  for (const [name, patienceMs] of steps) {
    if (await isGone()) return true
    signal(pid, name)
    for (let waitedMs = 0; waitedMs < patienceMs && !(await isGone()); waitedMs += 20)
      await sleep(20)
  }
  return isGone()
}

/**
 * Makes way for a new server: stops one that a killed Hoplet left behind on this folder, and removes a pid file
 * with a number that belongs to another program by now.
 */
export async function clearFormer(folder: string, log: Logger): Promise<void> {
  const former = (await readPidFile(folder))?.pid
  if (former === undefined || !signal(former, 0)) return
  if (!(await isPostgresOf(former, folder))) {
    log.warn({ pid: former }, 'removing a stale postmaster.pid: the process is another program')
    await rm(join(folder, 'postmaster.pid'), { force: true })
    return
  }
  log.warn({ pid: former }, 'stopping the PostgreSQL that a killed server left behind')
  if (await end(former, async () => !(await isPostgresOf(former, folder)))) return
  throw new Error(
    `A PostgreSQL of an earlier start (pid ${former}) uses ${folder} and cannot be stopped.`,
  )
}

/** Keeps the log of the database small. Its writers append, so cutting it under them is safe. */
export async function boundLog(path: string): Promise<void> {
  const size = (await stat(path).catch(() => undefined))?.size ?? 0
  if (size < logLimit) return
  await copyFile(path, `${path}.1`)
  await truncate(path)
}

/** `readyPid` is set once the server accepts connections. */
async function readPidFile(
  folder: string,
): Promise<{ pid: number; readyPid: number | undefined } | undefined> {
  const text = await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '')
  const lines = text.split('\n')
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10))
  if (!Number.isSafeInteger(pid) || pid < 2) return undefined
  return { pid, readyPid: lines[7]?.trim() === 'ready' ? pid : undefined }
}

/** Every process of a PostgreSQL server has its data folder as working directory. */
async function isPostgresOf(pid: number, folder: string): Promise<boolean> {
  try {
    if (process.platform === 'linux')
      return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(folder))
    const { stdout } = await run('ps', ['-o', 'command=', '-p', String(pid)])
    return stdout.includes('postgres') && stdout.includes(folder)
  } catch {
    return false
  }
}

/** @returns whether there is such a process; 0 only asks */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}
