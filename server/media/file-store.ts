import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../primitives/error-code.ts'
import { writeWhole } from '../primitives/write-whole.ts'
import type { MediaStore } from './store.ts'

/** Keeps images as `{folder}/ab/{hash}.webp`. */
export function createFileStore(folder: string): MediaStore {
  const pathOf = (hash: string) => join(folder, hash.slice(0, 2), `${hash}.webp`)
  return {
    async put(hash, bytes) {
      await mkdir(join(folder, hash.slice(0, 2)), { recursive: true })
      await writeWhole(pathOf(hash), bytes)
    },
    async get(hash) {
      try {
        return await readFile(pathOf(hash))
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return undefined
        throw error
      }
    },
    remove: (hash) => rm(pathOf(hash), { force: true }),
  }
}
