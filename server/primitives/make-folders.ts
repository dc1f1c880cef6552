import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './error-code.ts'

/**
 * Makes a folder and those above it that are missing. Not `mkdir` with `recursive`: where no folder can be made (/proc),
 * that tries forever.
 *
 * @param path absolute
 * @returns false when it is there
 */
export async function makeFolders(path: string, mode = 0o777): Promise<boolean> {
  try {
    await mkdir(path, mode)
    return true
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return false
    const parent = dirname(path)
    if (code !== 'ENOENT' || existsSync(parent)) throw error
    await makeFolders(parent, mode)
  }
  await mkdir(path, mode)
  return true
}
