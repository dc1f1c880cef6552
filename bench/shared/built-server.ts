import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createLog } from '#server/log.ts'
import { startEmbeddedPostgres } from '#server/postgres/embedded.ts'
import { freePort } from '#test/free-port.ts'

export interface BenchServer {
  url: string
  /** For DATABASE_URL. */
  databaseUrl: string
  /** Process of the server. */
  pid: number
  /** The database, as its superuser: no row security, and triggers can be left out. */
  database: pg.Client
  /** For files that are gone with the server. */
  folder: string
  close(): Promise<void>
}

interface BenchServerOptions {
  /** Runs the server on this core alone. */
  core?: number
  /** Keeps the database there, for the next run; without one it is new, and gone at the end. */
  keptIn?: string | undefined
  env?: Record<string, string>
}

/** The built server with a separate database, as a process. BENCH_BUILD: another checkout with a build to measure instead. */
export async function startBenchServer(options: BenchServerOptions = {}): Promise<BenchServer> {
  const { core, keptIn, env = {} } = options
  const folder = keptIn ?? (await mkdtemp(join(tmpdir(), 'hoplet-bench-')))
  await mkdir(folder, { recursive: true })
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: createLog('fatal') })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const build = process.env.BENCH_BUILD ?? '.'
  const program = [process.execPath, join(build, 'dist/server/main.js')]
  const pinned = core === undefined ? program : ['taskset', '-c', String(core), ...program]
  const server = spawn('env', pinned, {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: String(port),
      DATA_DIR: join(folder, 'server'),
      DATABASE_URL: postgres.url,
      LOG_LEVEL: 'error',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const superuser = new URL(postgres.superuserUrl)
  superuser.pathname = new URL(postgres.url).pathname
  const database = new pg.Client({ connectionString: superuser.href })
  const close = async () => {
    await database.end().catch(() => {})
    if (server.exitCode === null && server.kill('SIGTERM')) await ended
    await postgres.stop()
    if (keptIn === undefined) await rm(folder, { recursive: true, force: true })
  }
  try {
    await ready(url)
    await database.connect()
  } catch (error) {
    await close()
    throw error
  }
  return { url, databaseUrl: postgres.url, pid: server.pid ?? 0, database, folder, close }
}

async function ready(url: string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const response = await fetch(`${url}/health/ready`).catch(() => undefined)
    if (response?.ok) return
    await sleep(100)
  }
  throw new Error(`${url} did not answer`)
}
