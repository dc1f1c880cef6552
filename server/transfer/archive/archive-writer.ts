import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'

interface EntryOptions {
  /** False for contents that are packed already. */
  isPacked?: boolean
}

/** Writes a zip to a new file, one entry after another while its parts are made. */
export function openArchiveWriter(path: string, madeAt: Date, signal: AbortSignal) {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  const writing = pipeline(output, createWriteStream(path, { flags: 'wx', mode: 0o600 }), {
    signal,
  })
  const failure = new Promise<never>((_resolve, reject) => {
    zip.once('error', reject)
    writing.catch(reject)
  })
  // Also when nothing waits for it.
  failure.catch(() => {})
  return {
    /** Resolves when all parts were taken. @throws the error of `parts` or of the disk */
    async add(
      name: string,
      parts: AsyncIterable<string | Uint8Array>,
      { isPacked = false }: EntryOptions = {},
    ): Promise<void> {
      const source = Readable.from(parts, { objectMode: false, highWaterMark: 64 * 1024 })
      zip.addReadStream(source, name, { mtime: madeAt, mode: 0o100644, compress: !isPacked })
      await Promise.race([finished(source, { writable: false }), failure])
    },
    /** Resolves when the file is whole. */
    async finish(): Promise<void> {
      zip.end()
      await Promise.race([writing, failure])
    },
    /** Gives the file up. */
    async abandon(): Promise<void> {
      output.destroy()
      await writing.catch(() => {})
    },
  }
}

export type ArchiveWriter = ReturnType<typeof openArchiveWriter>
