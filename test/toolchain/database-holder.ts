import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

export interface Holder {
  pid: number
  child: ChildProcess
  /** Its standard error output so far. */
  complaint(): string
  /** Resolves to the connection string when ready; rejects when the process exits first. */
  ready: Promise<string>
  /** Resolves to the exit code or the signal. */
  ended: Promise<number | string>
}

/** Starts a process that holds the data directory and the embedded database, in its own process group. */
export function startHolder(dataDir: string): Holder {
  const script = fileURLToPath(new URL('./database-holder.mjs', import.meta.url))
  const child = spawn(process.execPath, [script, dataDir], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  let complained = ''
  child.stderr.on('data', (chunk: Buffer) => (complained += chunk.toString()))
  const ended = once(child, 'close').then(
    ([code, signal]: (number | string | null)[]) => code ?? signal ?? 'gone',
  )
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const url = /^ready (.+)$/m.exec(said)?.[1]
      if (url) resolve(url)
    })
    void ended.then(() => reject(new Error(`ended before it was ready: ${complained}`)))
  })
  // Avoids an unhandled rejection in tests that ignore it.
  ready.catch(() => {})
  return { pid: child.pid ?? 0, child, complaint: () => complained, ready, ended }
}

/** A path inside a folder with mode 0700, like those of `mktemp -d`. */
export async function makePrivatePlace(): Promise<{ dataDir: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'hoplet-place-'))
  return {
    dataDir: join(folder, 'data'),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** Runs one statement on a new connection. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  sql: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}
