import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { HitStore } from '../../analytics/store/store.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import type { Jobs } from '../../primitives/jobs.ts'
import { createNewerRecords } from '../record/newer-records.ts'
import { keepAppliedMs } from '../counting/applier.ts'
import { journalFolder } from '../counting/click-log.ts'
import { type AbandonedJournal, openAbandonedJournal } from './abandoned-journal.ts'
import { createRunAsVisits, createSegmentApplier } from '../counting/segment-applier.ts'
import { endMark, readApplied } from '../counting/segment-marks.ts'

interface AdoptionDeps {
  config: Pick<Config, 'dataDir' | 'sharedDataDir'>
  database: Database
  hits: HitStore
  log: Logger
  /** The id of the key that signs tokens: servers of one database have the same. */
  keyId: string
  jobs: Jobs
}

const intervalMs = 15_000
/** Clients of NFS may see a change of a file a minute late. */
const silentMs = 120_000

/**
 * Counts the clicks in journals of servers that are gone. The data directories of all servers of the database are in one
 * folder, `config.sharedDataDir`, on a volume that they share; a file in each says that its server lives. Nothing in the
 * journal of another server is changed for two days, and the marks in the database decide which clicks count: a server that only
 * seemed to be gone goes on writing and applying its journal. Without a shared folder this does nothing.
 */
export function startAdoption(deps: AdoptionDeps) {
  const { config, database, hits, log, keyId, jobs } = deps
  const { dataDir, sharedDataDir } = config
  const asVisits = createRunAsVisits(database)
  const totals = { applied: 0, orphaned: 0, corrupt: 0 }
  const newer = createNewerRecords(log)

  /** Names of the data directories of servers that show no sign of life. The times are those of the volume. */
  const silentServers = async (folder: string): Promise<string[]> => {
    const own = signOfLife(dataDir)
    await writeFile(own, `${keyId}\n`, { mode: 0o600 })
    const { mtimeMs: now } = await stat(own)
    const silent: string[] = []
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (!entry.isDirectory() || entry.name === basename(dataDir)) continue
      const sign = await lastSignOfLife(join(folder, entry.name))
      if (sign?.keyId === keyId && now - sign.at > silentMs) silent.push(entry.name)
    }
    return silent
  }
  const apply = async (journal: AbandonedJournal) => {
    const applier = createSegmentApplier({ journal, asVisits, hits, log, newer })
    try {
      for (const segment of journal.segments) {
        segment.applied = await asVisits((db) => readApplied(db, segment))
        while (applier.isBehind(segment)) await applier.applyNext(segment)
      }
    } finally {
      const { applied, orphaned, corrupt } = applier.totals()
      totals.applied += applied
      totals.orphaned += orphaned
      totals.corrupt += corrupt
    }
    return applier.totals().applied
  }
  const removeOld = async (journal: AbandonedJournal) => {
    for (const segment of journal.segments) {
      const isApplied = segment.applied !== undefined && segment.applied >= segment.size
      if (!isApplied || Date.now() - segment.writtenAt < keepAppliedMs) continue
      journal.remove(segment)
      await asVisits((db) => endMark(db, segment))
    }
  }
  const job = jobs.add('adoption of journals', { everyMs: intervalMs, firstRunMs: 0 }, async () => {
    if (sharedDataDir === undefined) return
    for (const server of await silentServers(sharedDataDir)) {
      const journal = openAbandonedJournal(journalFolder({ dataDir: join(sharedDataDir, server) }))
      const applied = await apply(journal)
      if (applied > 0) log.info({ server, applied }, 'clicks of a server that is gone were counted')
      await removeOld(journal)
    }
  })
  return {
    /** Looks for servers that are gone, at once. */
    run: job.run,
    /** Findings in the journals of other servers. */
    totals: () => ({ ...totals }),
    close: job.close,
  }
}

const signOfLife = (dataDir: string) => join(dataDir, 'alive')

async function lastSignOfLife(dataDir: string): Promise<{ keyId: string; at: number } | undefined> {
  try {
    const path = signOfLife(dataDir)
    const [text, { mtimeMs: at }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
    return { keyId: text.trim(), at }
  } catch {
    // The folder is another program's, or its server never had SHARED_DATA_DIR.
    return undefined
  }
}
