import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { createTestDatabase } from '#test/database.ts'
import { type BuiltServer, startBuilt } from '#test/visits/built.ts'
import { plantLinks } from '#test/visits/plant.ts'

/** The entry of a server that keeps clicks in the memory of its workers only, so that a kill loses them. */
export const forgetfulWorkersEntry = new URL('forgetful-main.mjs', import.meta.url).pathname

/** A database with links and an empty data directory, for servers with two workers. */
export async function setUpWorkers(cleanups: (() => Promise<unknown>)[]) {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-workers-'))
  cleanups.push(
    () => database.drop(),
    () => rm(dataDir, { recursive: true, force: true }),
  )
  const codes = Array.from({ length: 20 }, (_, i) => ({
    code: `several-${i}`,
    url: `https://example.com/${i}`,
  }))
  return {
    ...database,
    dataDir,
    links: await plantLinks(database.sql, codes),
    async start(environment: Record<string, string> = {}, entry?: string): Promise<BuiltServer> {
      const server = await startBuilt(
        { DATABASE_URL: database.url, DATA_DIR: dataDir, WORKERS: '2', ...environment },
        entry,
      )
      cleanups.push(() => server.end('SIGKILL'))
      // It answers when the first worker does; each process listens to the database.
      await expect
        .poll(() =>
          database.sql(
            `select from pg_stat_activity where datname = current_database() and application_name = 'hoplet listener'`,
          ),
        )
        .toHaveLength(3)
      return server
    },
  }
}

/** The process ids of a server's workers. */
export async function workersOf({ process: { pid } }: BuiltServer): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,command='])
  return stdout.split('\n').flatMap((line) => {
    const [id, parent, ...command] = line.trim().split(/\s+/)
    return Number(parent) === pid && command.join(' ').includes('main.') ? [Number(id)] : []
  })
}

/** The bytes in the journal of each process that has written to one, and runs. */
export async function journalsOf(dataDir: string): Promise<number[]> {
  const folder = join(dataDir, 'journal')
  const entries = await readdir(folder, { withFileTypes: true })
  const written = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      .map(async ({ name }) => {
        const files = (await readdir(join(folder, name))).filter((file) => file.endsWith('.log'))
        const sizes = files.map(async (file) => (await stat(join(folder, name, file))).size)
        return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
      }),
  )
  return written.filter((bytes) => bytes > 0)
}
