import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { freePort } from '#test/free-port.ts'

export interface BuiltServer extends Pick<TestDatabase, 'sql'> {
  url: string
  anonKey: string
  serviceRoleKey: string
  process: ChildProcess
  /** As a test server's: accounts can be planted. */
  isPlain: boolean
  close(): Promise<void>
}

// Vitest ends a worker with SIGTERM. The servers that its files share end with it.
process.once('SIGTERM', () => process.exit())

const root = new URL('..', import.meta.url).pathname

/**
 * The built server in a separate process, as people run it, here on a test database.
 *
 * @param hostname the server's public name; browsers have security keys only for sites with a name
 * @param folder with the build; default: this checkout
 */
export async function startBuiltServer(
  environment: Record<string, string> = {},
  hostname: '127.0.0.1' | 'localhost' = '127.0.0.1',
  folder = root,
): Promise<BuiltServer> {
  const entry = join(folder, 'dist/server/main.js')
  if (!existsSync(entry)) throw new Error('dist/server/main.js is missing: run `npm run build`')
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(inject('scratch'), 'data-'))
  const port = await freePort()
  const url = `http://${hostname}:${port}`
  const child = spawn(process.execPath, [entry], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      LOG_LEVEL: 'error',
      PUBLIC_URL: url,
      DRAIN_SECONDS: '0',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  await answering(`${url}/health/ready`, child)
  const keys = JSON.parse(await readFile(join(dataDir, 'keys.json'), 'utf8')) as {
    anonKey: string
    serviceRoleKey: string
  }
  return {
    url,
    anonKey: keys.anonKey,
    serviceRoleKey: keys.serviceRoleKey,
    process: child,
    sql: database.sql,
    isPlain: environment['RATE_LIMITS'] === 'off',
    async close() {
      process.off('exit', kill)
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 1_800; attempt++) {
    if (child.exitCode !== null) throw new Error(`the server ended with code ${child.exitCode}`)
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) return
    await sleep(100)
  }
  throw new Error(`${url} did not answer`)
}
