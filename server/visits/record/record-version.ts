import type { Config } from '../../config.ts'
import type { Logger } from '../../log.ts'
import { type Database, DatabaseUnavailableError } from '../../postgres/database.ts'
import { valueAs } from '../../postgres/rows.ts'
import { ifError } from '../../primitives/caught-error.ts'
import { startPeriodicJob } from '../../primitives/jobs.ts'
import { newestVersion, type WrittenVersion } from './click-record.ts'

export interface RecordVersionDeps {
  config: Pick<Config, 'clickRecords'>
  database: Database
  log: Logger
}

const everyMs = 15_000
/** After the server has announced itself (peers/peers.ts). */
const firstRunMs = 4_000

/**
 * The version in which this process writes click records: 2 until every server of the database reads 3, because release 1.0
 * skips records that it does not know. CLICK_RECORDS=2 keeps it at 2.
 */
export function startRecordVersion({ config, database, log }: RecordVersionDeps) {
  let written: WrittenVersion = 2
  const isFixed = config.clickRecords < newestVersion
  const compare = async () => {
    const reads = await valueAs<number>(
      database,
      { role: 'hoplet_worker', readOnly: true },
      'select coalesce(min(reads_clicks), 0) from app.servers',
    )
    const next = (reads ?? 0) >= newestVersion ? newestVersion : 2
    if (next !== written) log.info({ version: next }, 'clicks are recorded in another version')
    written = next
  }
  const job = startPeriodicJob(
    log,
    'version of click records',
    { everyMs, firstRunMs, isTimed: !isFixed },
    // Without a database no other server reads clicks either.
    () => compare().catch(ifError(DatabaseUnavailableError, () => {})),
  )
  return {
    written: (): WrittenVersion => written,
    /** Asks the database at once. */
    run: async () => (isFixed ? undefined : job.run()),
    close: job.close,
  }
}
