import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../log.ts'
import { migrate } from '../postgres/migrate.ts'
import { writeWhole } from '../primitives/write-whole.ts'
import { type BackupReport, checkBackup, openBackup } from './backup-file.ts'
import { journalPlace } from './journal-copy.ts'
import { loadTables } from './load.ts'

export interface RestoreOptions {
  path: string
  passphrase: string | undefined
  databaseUrl: string
  /** Claimed by the caller; keys and journal are put there. */
  dataDir: string
  putImage: (hash: string, bytes: Buffer) => Promise<void>
  replaces: boolean
  log: Logger
}

export interface RestoreReport extends BackupReport {
  /** Migrations that the backup did not have yet. */
  migrated: string[]
}

/**
 * Restores a backup. It is read as a whole before anything is changed. Then images and journal files are put aside, the database
 * is replaced in one transaction, and last the journal files and keys get their names.
 *
 * @throws {BackupError} with the database as it was
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const { path, passphrase, databaseUrl, dataDir, replaces, log } = options
  const report = await checkBackup(path, passphrase)
  const aside = join(dataDir, 'restore.partial')
  await rm(aside, { recursive: true, force: true })
  await mkdir(aside, { recursive: true, mode: 0o700 })
  try {
    const files = await putFiles(options, aside)
    const { manifest, contents } = report
    const entries = openBackup(path, passphrase)
    await loadTables({ databaseUrl, manifest, contents, entries, replaces, log })
    for (const file of files)
      await putJournalFile(join(aside, file), join(dataDir, 'journal'), file)
    await putKeys(aside, dataDir)
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
  return { ...report, migrated: await migrate(databaseUrl, log) }
}

/** Images go to their store, where their names are free; journal files and keys aside. @returns the journal files */
async function putFiles(options: RestoreOptions, aside: string): Promise<string[]> {
  const { path, passphrase, putImage } = options
  const files = new Set<string>()
  for await (const { name, data } of openBackup(path, passphrase)) {
    const [, hash] = /^media\/([0-9a-f]{64})\.webp$/.exec(name) ?? []
    const journal = journalPlace(name)
    if (hash !== undefined) await putImage(hash, data)
    else if (name === 'keys.json') await writeWhole(join(aside, name), data)
    else if (journal) {
      files.add(journal.file)
      await writeAt(join(aside, journal.file), data, journal.offset)
    }
  }
  return [...files]
}

/** Bytes before the first record are a hole: by the mark of the file they are in the database. */
async function writeAt(path: string, data: Buffer, offset: number): Promise<void> {
  const file = await open(path, offset === 0 ? 'w' : 'a+', 0o600)
  try {
    await file.truncate(offset)
    await file.write(data)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A file that is there already is the same one and has at least as many records: the server wrote on after the backup. */
async function putJournalFile(from: string, folder: string, name: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const to = join(folder, name)
  const [own, existing] = await Promise.all([stat(from), stat(to).catch(() => undefined)])
  if (existing && existing.size >= own.size) return
  await rename(from, to)
}

/** Keys that differ from the restored ones are kept beside them. */
async function putKeys(aside: string, dataDir: string): Promise<void> {
  const own = await readFile(join(aside, 'keys.json')).catch(() => undefined)
  if (!own) return
  const path = join(dataDir, 'keys.json')
  const former = await readFile(path).catch(() => undefined)
  if (former?.equals(own)) return
  if (former) await writeWhole(`${path}.before-restore`, former)
  await writeWhole(path, own)
}
