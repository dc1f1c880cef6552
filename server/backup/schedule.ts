import { Cron } from 'croner'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { LeaseHeldError, withLease } from '../postgres/leases.ts'
import { queryAs } from '../postgres/rows.ts'
import type { Jobs } from '../primitives/jobs.ts'
import { openBackupFolder } from './backup-folder.ts'
import { writeBackup } from './backup-file.ts'
import { backupName, expiredBackups } from './retention-of-backups.ts'
import { imagesOf } from './sources.ts'

interface BackupsDeps {
  config: Config & { databaseUrl: string }
  database: Database
  log: Logger
  jobs: Jobs
}

/** The last backup of the schedule, on any server. */
export interface LastBackup {
  /** In epoch seconds; 0 before the first one. */
  succeededAt: number
  bytes: number
  seconds: number
}

const leaseSeconds = 120
const worker = { role: 'hoplet_worker' } as const

/** Makes backups by BACKUP_SCHEDULE, each by one server of those that share the database, and deletes old ones. */
export function startBackups({ config, database, log, jobs }: BackupsDeps) {
  const { passphrase } = config.backup
  const schedule = jobs.areTimed ? config.backup.schedule : undefined
  let failures = 0
  let running: Promise<void> | undefined
  const stop = new AbortController()

  const place = schedule?.to ?? ''
  const claim = async (tick: Date): Promise<boolean> => {
    const rows = await queryAs(
      database,
      worker,
      `insert into app.backup_schedules as b (place, claimed_for) values ($1, $2)
        on conflict (place) do update set claimed_for = $2 where b.claimed_for < $2
        returning place`,
      [place, tick],
    )
    return rows.length === 1
  }
  const make = async (): Promise<void> => {
    if (!schedule) return
    const startedAt = performance.now()
    const folder = openBackupFolder(schedule.to, config)
    const source = {
      databaseUrl: config.databaseUrl,
      dataDir: config.dataDir,
      readImage: imagesOf(config, false)?.get,
      hasOwnSigningKey: config.signingKey !== undefined,
      signal: stop.signal,
    }
    const name = backupName(new Date(), passphrase !== undefined)
    const { bytes } = await folder.add(name, (path) => writeBackup(source, path, passphrase))
    const seconds = (performance.now() - startedAt) / 1_000
    await queryAs(
      database,
      worker,
      'update app.backup_schedules set succeeded_at = now(), bytes = $2, seconds = $3 where place = $1',
      [place, bytes, seconds],
    )
    log.info({ place: folder.name, name, bytes, seconds }, 'backup written')
    for (const old of expiredBackups(await folder.list(), schedule.keep)) {
      await folder.remove(old)
      log.info({ place: folder.name, name: old }, 'old backup deleted')
    }
  }

  const attempt = async (tick: Date): Promise<void> => {
    try {
      const lease = { name: `backup:${place}`, role: worker.role, seconds: leaseSeconds }
      await withLease(database, lease, async () => {
        if (await claim(tick)) await make()
      })
    } catch (error) {
      if (stop.signal.aborted || error instanceof LeaseHeldError) return
      failures++
      log.error({ err: error, place }, 'the backup failed')
    }
  }
  /** Makes the backup of this time of the schedule, unless another server does. Never rejects. */
  const run = (tick: Date) => (running ??= attempt(tick).finally(() => (running = undefined)))

  // A wrong place is said now, and not at three in the morning.
  const tried =
    schedule &&
    Promise.resolve()
      .then(() => openBackupFolder(schedule.to, config).tryIt())
      .catch((error: unknown) => {
        log.error({ err: error, place }, 'backups cannot be written to BACKUP_TO')
      })

  // All servers compute the same tick: their clocks differ by less than a minute.
  const minute = () => new Date(Math.floor(Date.now() / 60_000) * 60_000)
  const cron =
    schedule && new Cron(schedule.cron, { timezone: 'UTC', unref: true }, () => run(minute()))

  return {
    run,
    failures: () => failures,
    /** Undefined without a schedule. */
    async last(): Promise<LastBackup | undefined> {
      if (!schedule) return undefined
      const [row] = await queryAs<{
        at: number | null
        bytes: string | null
        seconds: number | null
      }>(
        database,
        worker,
        `select extract(epoch from succeeded_at)::float8 as at, bytes, seconds
          from app.backup_schedules where place = $1`,
        [place],
      )
      return {
        succeededAt: row?.at ?? 0,
        bytes: Number(row?.bytes ?? 0),
        seconds: row?.seconds ?? 0,
      }
    },
    /** A backup in progress is given up: it leaves nothing. */
    async close(): Promise<void> {
      cron?.stop()
      stop.abort()
      await Promise.all([running, tried])
    },
  }
}
