import {
  chown,
  copyFile,
  lstat,
  mkdir,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createPlainClient } from '../postgres/client.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { clusterFolder } from '../postgres/embedded-cluster.ts'
import { runningSuperuserUrl } from '../postgres/embedded.ts'
import { errorCode } from '../primitives/error-code.ts'
import { oneArgument } from './one-argument.ts'
import { orThrow } from '../primitives/or-throw.ts'

const usage = 'Usage: npm run base-backup -- FOLDER'

/** Folders that PostgreSQL fills again: their content must not be copied (its manual, "Making a Base Backup"). */
const emptied = new Set(
  'pg_wal pg_replslot pg_dynshmem pg_notify pg_serial pg_snapshots pg_stat_tmp pg_subtrans'.split(
    ' ',
  ),
)
const left = /^(postmaster\.(pid|opts)|pgsql_tmp.*|pg_internal\.init.*|backup_label.*|.*\.partial)$/

/**
 * Copies the files of the included PostgreSQL while it runs, for recovery to a point in time with the WAL that
 * `archive_command` keeps (docs/backup.md). The npm package has no pg_basebackup.
 *
 * @param args a folder that does not exist yet
 * @returns a message for the operator
 */
export async function baseBackup(args: string[], config: Config, _log: Logger): Promise<string> {
  const folder = resolve(oneArgument(args, usage))
  if (config.databaseUrl)
    throw new Error(
      'DATABASE_URL is set: that PostgreSQL has pg_basebackup, or its provider has its own.',
    )
  const url = orThrow(
    await runningSuperuserUrl(config.dataDir),
    () => new Error(`No server runs on ${config.dataDir}: start it first.`),
  )
  if (await stat(folder).catch(() => undefined)) throw new Error(`${folder} is there already.`)
  const partial = `${folder}.partial`
  await rm(partial, { recursive: true, force: true })

  const client = createPlainClient(url, 'base backup')
  await client.connect()
  try {
    const { rows: modes } = await client.query<{ archive_mode: string }>('show archive_mode')
    if (modes[0]?.archive_mode === 'off')
      throw new Error(
        'archive_mode is off, so nothing could be recovered from this copy. Set it and archive_command first (docs/backup.md).',
      )
    // The session has to stay until the end: PostgreSQL ends the backup with it.
    await client.query(`select pg_backup_start('hoplet', true)`)
    const files = await copyFolder(clusterFolder(config.dataDir), partial)
    const { rows } = await client.query<{ lsn: string; label: string }>(
      'select lsn::text, labelfile as label from pg_backup_stop(true)',
    )
    const { lsn = '', label = '' } = rows[0] ?? {}
    await writeFile(join(partial, 'backup_label'), label, { mode: 0o600 })
    await copyOwner(clusterFolder(config.dataDir), join(partial, 'backup_label'))
    await rename(partial, folder)
    return `${folder} has ${files} files; with the archived WAL it can be recovered to any time from now on (${lsn}).`
  } finally {
    await client.end().catch(() => {})
    await rm(partial, { recursive: true, force: true })
  }
}

/** Files may change or go while they are copied: WAL makes up for both. @returns how many files */
async function copyFolder(from: string, to: string): Promise<number> {
  await mkdir(to, { mode: 0o700 })
  await copyOwner(from, to)
  let files = 0
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    try {
      if (left.test(entry.name)) continue
      if (entry.isDirectory()) {
        if (emptied.has(entry.name)) {
          await mkdir(target, { mode: 0o700 })
          await copyOwner(source, target)
        } else files += await copyFolder(source, target)
      } else if (entry.isFile()) {
        await copyFile(source, target)
        await copyOwner(source, target)
        files++
      } else
        throw new Error(`${source} is neither a file nor a folder: tablespaces are not copied.`)
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }
  return files
}

/** As root, files belong to the user that PostgreSQL runs as. */
async function copyOwner(from: string, to: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await lstat(from)
  await chown(to, uid, gid)
}
