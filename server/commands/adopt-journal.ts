import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createPostgresStore } from '../analytics/store/postgres-store.ts'
import type { Config } from '../config.ts'
import { dataDirOwner, openDataDir } from '../data-dir.ts'
import type { Logger } from '../log.ts'
import { type Database, openDatabase } from '../postgres/database.ts'
import { runningEmbeddedUrl } from '../postgres/embedded.ts'
import { startApplier } from '../visits/counting/applier.ts'
import { createRunAsVisits } from '../visits/counting/segment-applier.ts'
import { type Journal, openJournal, waitingBytes } from '../visits/journal/journal.ts'
import { createReplayer } from '../visits/stream/replayer.ts'
import type { ClickStreamSettings } from '../visits/stream/stream-address.ts'
import { openStreamConnection } from '../visits/stream/stream-connection.ts'
import { createLostClicks } from '../visits/journal/only-in-memory.ts'
import { oneArgument } from './one-argument.ts'
import { orThrow } from '../primitives/or-throw.ts'

const usage = 'Usage: npm run adopt -- FOLDER   (the DATA_DIR of a server that will not come back)'
const timeoutMs = 60 * 60 * 1000
const connectTimeoutMs = 10_000

interface AdoptDeps {
  journal: Journal
  database: Database
  log: Logger
}

/**
 * Applies the journal of a dead server to the database of the running ones, or publishes it into their click stream. The
 * marks in the database name the applied part, so a second call counts nothing twice; the lock of the folder keeps a server
 * that runs from it.
 *
 * @param args the dead server's data directory and nothing else
 * @returns a message for the operator
 * @throws {Error} with a message for the operator
 */
export async function adoptJournal(
  args: readonly string[],
  config: Pick<Config, 'databaseUrl' | 'dataDir'> & Partial<Pick<Config, 'clicks'>>,
  log: Logger,
): Promise<string> {
  const folder = oneArgument(args, usage)
  const journalFolder = join(folder, 'journal')
  if (!existsSync(journalFolder)) throw new Error(`There is no journal in ${folder}. ${usage}`)
  const databaseUrl = orThrow(
    config.databaseUrl ?? (await runningEmbeddedUrl(config.dataDir)),
    () => new Error('Set DATABASE_URL, or start the server whose database is to count the clicks.'),
  )

  const owner = await dataDirOwner(folder)
  if (owner !== undefined)
    throw new Error(
      `A server (process ${owner}) is running on ${folder} and counts its own clicks.`,
    )

  const dataDir = await openDataDir(folder, log)
  const database = openDatabase(databaseUrl, log)
  try {
    const journal = openJournal(journalFolder, {
      fsync: false,
      onLost: createLostClicks(log).add,
    })
    const stream = config.clicks?.stream
    return await (stream
      ? publishAll({ journal, database, log }, stream)
      : applyAll({ journal, database, log }))
  } finally {
    await database.close()
    await dataDir.release()
  }
}

async function applyAll({ journal, database, log }: AdoptDeps): Promise<string> {
  const hits = createPostgresStore({ database, log })
  const applier = startApplier({ journal, database, hits, log })
  await applier.close(timeoutMs)
  const { applied, orphaned, corrupt } = applier.status()
  const left = journal.segments().filter(({ applied: done }) => done === undefined)
  if (left.some(({ base }) => base !== undefined))
    throw new Error(
      `${applied} clicks were counted. Others wait for earlier ones in the click stream: call it again with CLICK_LOG set to it.`,
    )
  if (waitingBytes(journal) > 0)
    throw new Error(
      `${applied} clicks were counted. Others wait, because the database stopped or a newer version wrote them (see the log): call it again.`,
    )
  return `${applied} clicks were counted. On deleted links: ${orphaned}. Damaged records: ${corrupt}.`
}

async function publishAll(
  { journal, database, log }: AdoptDeps,
  settings: ClickStreamSettings,
): Promise<string> {
  const connection = openStreamConnection(settings, log)
  try {
    await connection.usableWithin(connectTimeoutMs)
    const { publish } = connection
    const asVisits = createRunAsVisits(database)
    const replayer = createReplayer({ journal, publish, asVisits, log })
    try {
      await replayer.replay()
    } catch (error) {
      throw new Error(
        `${replayer.records()} clicks are in the click stream, then it stopped: call it again.`,
        { cause: error },
      )
    }
    return `${replayer.records()} clicks are in the click stream now; the running servers count them.`
  } finally {
    await connection.close()
  }
}
