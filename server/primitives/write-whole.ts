import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'

/** Writes a file that only we may read. It is there whole or not at all, whenever the process or the power fails. */
export async function writeWhole(path: string, data: string | Uint8Array): Promise<void> {
  const aside = `${path}.${randomUUID()}.tmp`
  try {
    await writeFile(aside, data, { mode: 0o600, flush: true })
    await rename(aside, path)
  } finally {
    await rm(aside, { force: true })
  }
}
