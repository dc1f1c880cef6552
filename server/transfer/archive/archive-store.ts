import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { openS3Bucket } from '../../backup/s3-bucket.ts'
import type { Config } from '../../config.ts'
import { ifMissing } from '../../primitives/error-code.ts'

/** Where the files of archives are: beside the images, on the disk or in S3. A file is there whole or not at all. */
export interface ArchiveStore {
  /** Takes a finished file of this machine away. */
  put(name: string, path: string): Promise<void>
  /** Undefined when there is none. */
  open(name: string): Promise<ReadableStream<Uint8Array> | undefined>
  /** Fine also when there is none. */
  remove(name: string): Promise<void>
}

export function createArchiveStore(media: Config['media'], folder: string): ArchiveStore {
  return media.s3 ? createS3Archives(media.s3) : createFileArchives(folder)
}

function createFileArchives(folder: string): ArchiveStore {
  const pathOf = (name: string) => join(folder, name)
  return {
    put: (name, path) => rename(path, pathOf(name)),
    async open(name) {
      const file = await open(pathOf(name)).catch(ifMissing(undefined))
      return file && (Readable.toWeb(file.createReadStream()) as ReadableStream<Uint8Array>)
    },
    remove: (name) => rm(pathOf(name), { force: true }),
  }
}

/** Keeps archives as `archives/{name}` of the bucket of images. */
function createS3Archives(settings: NonNullable<Config['media']['s3']>): ArchiveStore {
  const bucket = openS3Bucket(settings, settings.bucket)
  const keyOf = (name: string) => `archives/${name}`
  return {
    async put(name, path) {
      await bucket.upload(path, keyOf(name))
      await rm(path, { force: true })
    },
    open: (name) => bucket.open(keyOf(name)),
    async remove(name) {
      // Some storages answer 404 for a missing object.
      const key = keyOf(name)
      if ((await bucket.list(key)).includes(key)) await bucket.remove(key)
    },
  }
}
