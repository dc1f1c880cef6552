import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.ts'

export interface BuiltServer {
  url: string
  process: ChildProcess
  /** The log so far, by LOG_LEVEL: only what is fatal unless set. */
  log(): string
  /** Sends the signal and waits for the exit. Returns the exit code; null if the signal ended the process. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

const builtEntry = new URL('../../dist/server/main.js', import.meta.url).pathname

/** The entry of a server that keeps clicks in memory only, so that a kill loses them. */
export const forgetfulEntry = new URL('journal/forgetful-main.mjs', import.meta.url).pathname

/** Starts the built server as a process and waits until it is ready. A data directory can be used again. */
export async function startBuilt(
  environment: Record<string, string> & { DATA_DIR: string },
  entry = builtEntry,
): Promise<BuiltServer> {
  if (!existsSync(entry)) throw new Error('dist/server/main.js is missing: run `npm run build`')
  const port = Number(environment['PORT'] ?? (await freePort()))
  const child = spawn(process.execPath, [entry], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      LOG_LEVEL: 'fatal',
      RATE_LIMITS: 'off',
      DRAIN_SECONDS: '0',
      CLICK_RESERVE_MB: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let log = ''
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const url = `http://127.0.0.1:${port}`
  for (let attempt = 0; ; attempt++) {
    if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}`)
    const response = await fetch(`${url}/health/ready`).catch(() => undefined)
    if (response?.ok) break
    if (attempt === 1_800) throw new Error('the server did not get ready')
    await sleep(100)
  }
  return {
    url,
    process: child,
    log: () => log,
    end(signal) {
      child.kill(signal)
      return ended
    },
  }
}
