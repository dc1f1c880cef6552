import { Cron } from 'croner'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { LeaseHeldError, withLease } from '../postgres/leases.ts'
import type { Jobs } from '../primitives/jobs.ts'
import { openBackupFolder } from './backup-folder.ts'
import { writeBackup } from './backup-file.ts'
import { backupName, expiredBackups } from './retention-of-backups.ts'
import { createScheduledBackups, type LastBackup } from './scheduled-backups.ts'
import { imagesOf } from './sources.ts'

interface BackupsDeps {
  config: Config & { databaseUrl: string }
  database: Database
  log: Logger
  jobs: Jobs
}

const leaseSeconds = 120

/** Makes backups by BACKUP_SCHEDULE, each by one server of those that share the database, and deletes old ones. */
export function startBackups({ config, database, log, jobs }: BackupsDeps) {
  const { passphrase } = config.backup
  const schedule = jobs.areTimed ? config.backup.schedule : undefined
  let failures = 0
  let running: Promise<void> | undefined
  const stop = new AbortController()

  const target = schedule?.to ?? ''
  const backups = createScheduledBackups(database, target)
  const make = async (): Promise<void> => {
    if (!schedule) return
    const startedAt = performance.now()
    const folder = openBackupFolder(schedule.to, config, stop.signal)
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
    await backups.recordSuccess({ bytes, seconds })
    log.info({ target: folder.name, name, bytes, seconds }, 'backup written')
    for (const old of expiredBackups(await folder.list(), schedule.keep)) {
      await folder.remove(old)
      log.info({ target: folder.name, name: old }, 'old backup deleted')
    }
  }

  const attempt = async (tick: Date): Promise<void> => {
    try {
      const lease = {
        name: `backup:${target}`,
        role: 'hoplet_worker',
        seconds: leaseSeconds,
      } as const
      await withLease(database, lease, async () => {
        if (await backups.claim(tick)) await make()
      })
    } catch (error) {
      if (stop.signal.aborted || error instanceof LeaseHeldError) return
      failures++
      log.error({ err: error, target }, 'the backup failed')
    }
  }
  /** Makes the backup of this time of the schedule, unless another server does. Never rejects. */
  const run = (tick: Date) => (running ??= attempt(tick).finally(() => (running = undefined)))

  // A wrong target is reported now, and not at three in the morning.
  const tried =
    schedule &&
    Promise.resolve()
      .then(() => openBackupFolder(schedule.to, config, stop.signal).tryIt())
      .catch((error: unknown) => {
        if (stop.signal.aborted) return
        log.error({ err: error, target }, 'backups cannot be written to BACKUP_TO')
      })

  // All servers compute the same tick: their clocks differ by less than a minute.
  const minute = () => new Date(Math.floor(Date.now() / 60_000) * 60_000)
  const cron =
    schedule && new Cron(schedule.cron, { timezone: 'UTC', unref: true }, () => run(minute()))

  return {
    run,
    failures: () => failures,
    /** Undefined without a schedule. */
    last: async (): Promise<LastBackup | undefined> => schedule && backups.last(),
    /** A backup in progress is given up: it leaves nothing. */
    async close(): Promise<void> {
      cron?.stop()
      stop.abort()
      await Promise.all([running, tried])
    },
  }
}
