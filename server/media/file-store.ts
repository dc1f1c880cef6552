import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MediaStore } from './store.ts'

/** Keeps images as `{folder}/ab/{hash}.webp`; a file is there whole or not at all. */
export function createFileStore(folder: string): MediaStore {
  const pathOf = (hash: string) => join(folder, hash.slice(0, 2), `${hash}.webp`)
  return {
    async put(hash, bytes) {
      const path = pathOf(hash)
      const unfinished = `${path}.${randomUUID()}.tmp`
      await mkdir(join(folder, hash.slice(0, 2)), { recursive: true })
      try {
        await writeFile(unfinished, bytes, { mode: 0o600 })
        await rename(unfinished, path)
      } finally {
        await rm(unfinished, { force: true })
      }
    },
    async get(hash) {
      try {
        return await readFile(pathOf(hash))
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
        throw error
      }
    },
    remove: (hash) => rm(pathOf(hash), { force: true }),
  }
}
