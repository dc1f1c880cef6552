import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { type BackupFolder, openBackupFolder, parseS3Url } from '../backup/backup-folder.ts'
import { type BackupReport, writeBackup } from '../backup/backup-file.ts'
import { backupName } from '../backup/retention-of-backups.ts'
import { imagesOf } from '../backup/sources.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { locateDatabase } from './locate-database.ts'
import { oneArgument } from './one-argument.ts'

const usage = 'Usage: npm run backup -- FILE|s3://bucket/key [--media]'

/**
 * Writes a backup of the server that is running, or of one that is stopped.
 *
 * @param args the file or the address, and `--media` to include images that are in S3
 * @returns a message for the operator
 * @throws {Error} with a message for the operator
 */
export async function backUp(args: string[], config: Config, log: Logger): Promise<string> {
  const withMedia = args.includes('--media')
  const target = oneArgument(
    args.filter((each) => each !== '--media'),
    usage,
  )
  const { folder, name } = await placeOf(target, config)
  const { passphrase } = config.backup
  const database = await locateDatabase(config, log)
  const startedAt = performance.now()
  try {
    const source = {
      databaseUrl: database.url,
      dataDir: config.dataDir,
      readImage: imagesOf(config, withMedia)?.get,
      hasOwnSigningKey: config.signingKey !== undefined,
    }
    const report = await folder.add(name, (path) => writeBackup(source, path, passphrase))
    const seconds = (performance.now() - startedAt) / 1_000
    const encrypted = passphrase === undefined ? 'not encrypted (BACKUP_PASSPHRASE)' : 'encrypted'
    return [
      `${folder.name}/${name} has everything up to ${report.manifest.takenAt}: ${describeBackup(report)}; ${encrypted}; ${seconds.toFixed(1)} s.`,
      ...notesOn(report, config),
    ].join('\n')
  } finally {
    await database.close()
  }
}

/** A folder, also one that is not there yet when its name ends in a slash, gets a name with the time. */
export async function placeOf(
  target: string,
  config: Config,
): Promise<{ folder: BackupFolder; name: string }> {
  const isFolder =
    target.endsWith('/') ||
    (parseS3Url(target)
      ? parseS3Url(target)?.key === ''
      : (await stat(target).catch(() => undefined))?.isDirectory())
  const isEncrypted = config.backup.passphrase !== undefined
  return isFolder
    ? { folder: openBackupFolder(target, config), name: backupName(new Date(), isEncrypted) }
    : {
        folder: openBackupFolder(dirname(target).replace(/^s3:\/(?=[^/])/, 's3://'), config),
        name: basename(target),
      }
}

/** Contents of a backup, in one line. */
export function describeBackup({ contents, bytes }: BackupReport): string {
  const rowsOf = (table: string) =>
    contents.tables.find(({ name }) => name === table)?.rows.toLocaleString('en-US') ?? '0'
  const rows = contents.tables.reduce((sum, table) => sum + table.rows, 0)
  return (
    `${rowsOf('auth.users')} accounts, ${rowsOf('app.shortened_urls')} links, ` +
    `${rows.toLocaleString('en-US')} rows in ${contents.tables.length} tables, ` +
    `${contents.images.included} images, ${contents.journal?.bytes ?? 0} bytes of the click journal; ` +
    `${(bytes / 1024 ** 2).toFixed(1)} MiB`
  )
}

function notesOn({ manifest, contents }: BackupReport, config: Config): string[] {
  const notes: string[] = []
  if (config.databaseUrl)
    notes.push(
      `Of the click journals, only that in ${config.dataDir} is part of it: clicks that other servers have not applied yet are not.`,
    )
  if (!manifest.signingKey)
    notes.push(
      `There is no keys.json in ${config.dataDir}: the keys are not part of it. Run the command where the server runs.`,
    )
  else if (!manifest.signingKey.isIncluded)
    notes.push('JWT_SIGNING_KEY is not part of it: keep it elsewhere.')
  if (contents.images.left > 0)
    notes.push(`${contents.images.left} images in S3 are not part of it; --media includes them.`)
  return notes
}
