import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { errorCode } from '../primitives/error-code.ts'
import { readArchive, writeArchive } from './archive.ts'
import { BackupError } from './backup-error.ts'
import { dump, type DumpSource } from './dump.ts'
import {
  type Contents,
  contentsName,
  type Manifest,
  parseContents,
  parseManifest,
} from './manifest.ts'
import { parseKeys } from '../tokens/keys.ts'

export interface BackupReport {
  manifest: Manifest
  contents: Contents
  bytes: number
}

/** Suffix of an incomplete backup. */
export const partialEnding = '.partial'

/**
 * Writes a backup of a running server, reads it back, and gives it its name only then: under `path` there is a whole backup
 * or the earlier file.
 */
export async function writeBackup(
  source: DumpSource,
  path: string,
  passphrase: string | undefined,
): Promise<BackupReport> {
  const partial = `${path}.${randomBytes(4).toString('hex')}${partialEnding}`
  try {
    await writeStream(partial, writeArchive(dump(source), passphrase))
    const report = await checkBackup(partial, passphrase, source.signal)
    await rename(partial, path)
    return report
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {})
    if (errorCode(error) === 'ENOSPC')
      throw new BackupError(`The disk of ${path} is full: the backup was not written.`, {
        cause: error,
      })
    throw error
  }
}

/** Writes a file that only we may read, down to the disk. */
export async function writeStream(path: string, source: AsyncIterable<Buffer>): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length;)
        at += (await file.write(chunk, at, chunk.length - at)).bytesWritten
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * Reads a whole backup and changes nothing.
 *
 * @throws {BackupError} when it is truncated or altered, is of a newer version, or the passphrase is wrong
 */
export async function checkBackup(
  path: string,
  passphrase: string | undefined,
  signal?: AbortSignal,
): Promise<BackupReport> {
  let manifest: Manifest | undefined
  let contents: Contents | undefined
  for await (const entry of openBackup(path, passphrase, signal)) {
    manifest ??= parseManifest(entry)
    if (entry.name === contentsName) contents = parseContents(entry)
    if (entry.name === 'keys.json') checkKeys(entry.data)
  }
  if (!manifest || !contents)
    throw new BackupError('The backup is damaged: it has no list of contents.')
  return { manifest, contents, bytes: (await stat(path)).size }
}

function checkKeys(data: Buffer): void {
  try {
    parseKeys(data.toString())
  } catch (cause) {
    throw new BackupError('The backup is damaged: keys.json does not have the keys of a server.', {
      cause,
    })
  }
}

/** The files of a backup; see {@link readArchive}. */
export function openBackup(path: string, passphrase: string | undefined, signal?: AbortSignal) {
  return readArchive(createReadStream(path, { signal }) as AsyncIterable<Buffer>, passphrase)
}
