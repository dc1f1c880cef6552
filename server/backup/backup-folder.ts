import { randomUUID } from 'node:crypto'
import { access, constants, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { makeFolders } from '../primitives/make-folders.ts'
import { BackupError } from './backup-error.ts'
import { type BackupReport, partialEnding } from './backup-file.ts'
import { openS3Bucket } from './s3-bucket.ts'

type WriteTo = (path: string) => Promise<BackupReport>

/** Where backups are kept: a folder, or a bucket below a prefix. */
export interface BackupFolder {
  /** For people, for example `s3://backups/hoplet`. */
  name: string
  /** Writes a backup; under its name it is whole or not there. */
  add(name: string, write: WriteTo): Promise<BackupReport>
  /** Writes a few bytes and removes them. Rejects when backups could not be kept there. */
  tryIt(): Promise<void>
  /** Names of files, also of others. */
  list(): Promise<string[]>
  remove(name: string): Promise<void>
  /** Gives a backup as a file on this disk for as long as `work` takes. */
  open<T>(name: string, work: (path: string) => Promise<T>): Promise<T>
}

/** Remains of a process that was killed while it wrote. */
const staleMs = 24 * 60 * 60_000

type FolderConfig = Pick<Config, 'dataDir'> & { media: Pick<Config['media'], 's3'> }

/**
 * @param target a path or `s3://bucket/prefix`
 * @param signal gives up requests to a bucket
 */
export function openBackupFolder(
  target: string,
  config: FolderConfig,
  signal?: AbortSignal,
): BackupFolder {
  const s3 = parseS3Url(target)
  return s3 ? bucketFolder(target, s3, config, signal) : diskFolder(resolve(target))
}

/** @returns undefined for a path. @throws {BackupError} for an address without a bucket */
export function parseS3Url(target: string): { bucket: string; key: string } | undefined {
  if (!target.startsWith('s3://')) return undefined
  const [, bucket, key = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})(?:\/(.*))?$/.exec(target) ?? []
  if (bucket === undefined)
    throw new BackupError(`${target} must be s3://bucket/key, with a valid name of a bucket.`)
  return { bucket, key: key.replace(/\/+$/, '') }
}

function diskFolder(folder: string): BackupFolder {
  return {
    name: folder,
    async add(name, write) {
      await makeFolders(folder, 0o700)
      await access(folder, constants.W_OK)
      await removeStale(folder)
      return write(join(folder, name))
    },
    async tryIt() {
      const path = join(folder, `.${randomUUID()}${partialEnding}`)
      await makeFolders(folder, 0o700)
      await writeFile(path, 'Hoplet is testing write access.', { flush: true })
      await rm(path)
    },
    list: () => readdir(folder),
    remove: (name) => rm(join(folder, name), { force: true }),
    async open(name, work) {
      const path = join(folder, name)
      if (!(await stat(path).catch(() => undefined))?.isFile())
        throw new BackupError(`There is no backup ${path}.`)
      return work(path)
    },
  }
}

/** A backup is written to DATA_DIR first: no transaction is open while bytes travel, and the uploaded file was checked. */
function bucketFolder(
  target: string,
  { bucket: bucketName, key }: { bucket: string; key: string },
  { dataDir, media }: FolderConfig,
  signal: AbortSignal | undefined,
): BackupFolder {
  if (!media.s3)
    throw new BackupError(`${target} needs S3_ENDPOINT, S3_BUCKET and the keys of the storage.`)
  const bucket = openS3Bucket(media.s3, bucketName, { signal })
  const prefix = key === '' ? '' : `${key}/`
  const onDisk = async <T>(work: (path: string) => Promise<T>): Promise<T> => {
    await mkdir(dataDir, { recursive: true })
    await removeStale(dataDir)
    const path = join(dataDir, `transfer-${randomUUID()}${partialEnding}`)
    try {
      return await work(path)
    } finally {
      await rm(path, { force: true })
    }
  }
  return {
    name: target,
    add: (name, write) =>
      onDisk(async (path) => {
        const report = await write(path)
        await bucket.upload(path, prefix + name)
        return report
      }),
    tryIt: () =>
      onDisk(async (path) => {
        const name = `${prefix}.${randomUUID()}${partialEnding}`
        await writeFile(path, 'Hoplet is testing write access.')
        await bucket.upload(path, name)
        await bucket.remove(name)
      }),
    async list() {
      const keys = await bucket.list(prefix)
      return keys.map((each) => each.slice(prefix.length)).filter((each) => !each.includes('/'))
    },
    remove: (name) => bucket.remove(prefix + name),
    open: (name, work) =>
      onDisk(async (path) => {
        await bucket.download(prefix + name, path)
        return work(path)
      }),
  }
}

async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(partialEnding)) continue
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found?.isFile() && Date.now() - found.mtimeMs > staleMs) await rm(path, { force: true })
  }
}
