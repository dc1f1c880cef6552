import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createPostgresStore } from '../analytics/store/postgres-store.ts'
import type { Config } from '../config.ts'
import { dataDirOwner, openDataDir } from '../data-dir.ts'
import type { Logger } from '../log.ts'
import { openDatabase } from '../postgres/database.ts'
import { runningEmbeddedUrl } from '../postgres/embedded.ts'
import { startApplier } from '../visits/applier.ts'
import { openJournal, waitingBytes } from '../visits/journal.ts'

const usage = 'Usage: npm run adopt -- FOLDER   (the DATA_DIR of a server that will not come back)'
const timeoutMs = 60 * 60 * 1000

/**
 * Applies the journal of a dead server to the database of the running ones. The marks in the database say what was
 * applied before, so a second call counts nothing twice; the lock of the folder keeps a server that runs from it.
 *
 * @param args the dead server's data directory and nothing else
 * @returns what to tell the operator
 * @throws {Error} whose message tells the operator what went wrong
 */
export async function adoptJournal(
  args: readonly string[],
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: Logger,
): Promise<string> {
  const [folder, ...more] = args
  if (!folder || more.length > 0) throw new Error(usage)
  const journalFolder = join(folder, 'journal')
  if (!existsSync(journalFolder)) throw new Error(`There is no journal in ${folder}. ${usage}`)
  const databaseUrl = config.databaseUrl ?? (await runningEmbeddedUrl(config.dataDir))
  if (databaseUrl === undefined)
    throw new Error('Set DATABASE_URL, or start the server whose database is to count the clicks.')

  const owner = await dataDirOwner(folder)
  if (owner !== undefined)
    throw new Error(
      `A server (process ${owner}) is running on ${folder} and counts its own clicks.`,
    )

  const dataDir = await openDataDir(folder, log)
  const database = openDatabase(databaseUrl, log)
  try {
    const journal = openJournal(journalFolder, { fsync: false })
    const applier = startApplier({
      journal,
      database,
      hits: createPostgresStore({ database, log }),
      log,
    })
    await applier.close(timeoutMs)
    const { applied, orphaned, corrupt } = applier.status()
    const left = waitingBytes(journal)
    if (left > 0)
      throw new Error(`${applied} clicks were counted, then the database stopped: call it again.`)
    return `${applied} clicks were counted. On deleted links: ${orphaned}. Damaged records: ${corrupt}.`
  } finally {
    await database.close()
    await dataDir.release()
  }
}
