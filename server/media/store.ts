import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ifMissing } from '../primitives/error-code.ts'
import { writeWhole } from '../primitives/write-whole.ts'

/** Where the bytes are: files or S3. Named by the hash of their contents, so writing twice is writing once. */
export interface MediaStore {
  put(hash: string, bytes: Buffer): Promise<void>
  /** Undefined when there is none. */
  get(hash: string): Promise<Buffer | undefined>
  /** Fine also when there is none. */
  remove(hash: string): Promise<void>
}

/** The storage failed. Holds only a status: responses of storages may repeat signatures. */
export class StorageError extends Error {
  name = 'StorageError'
}

/** Keeps images as `{folder}/ab/{hash}.webp`. */
export function createFileStore(folder: string): MediaStore {
  const pathOf = (hash: string) => join(folder, hash.slice(0, 2), `${hash}.webp`)
  return {
    async put(hash, bytes) {
      await mkdir(join(folder, hash.slice(0, 2)), { recursive: true })
      await writeWhole(pathOf(hash), bytes)
    },
    get: (hash) => readFile(pathOf(hash)).catch(ifMissing(undefined)),
    remove: (hash) => rm(pathOf(hash), { force: true }),
  }
}
