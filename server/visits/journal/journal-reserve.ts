import { mkdirSync, openSync, closeSync, readdirSync, renameSync, statfsSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Logger } from '../../log.ts'
import { startPeriodicJob } from '../../primitives/jobs.ts'

/** Size of one file of the reserve. */
export const pieceBytes = 4 * 1024 ** 2

const pieceName = /^\d+\.reserve$/
const restoreMs = 10_000
/** Stays free for others when the reserve is restored. */
const marginBytes = 32 * 1024 ** 2

type ReserveConfig = Pick<Config, 'clicks' | 'dataDir'>

/** Files on the disk of the journal that are written and hold nothing, so that the journal has room when the disk is full. */
export type JournalReserve = ReturnType<typeof openJournalReserve>

/**
 * All processes of a server share the reserve; a rename decides the owner of a file. The journal overwrites it where it is,
 * so that neither PostgreSQL nor anything else gets its room (docs/decisions/0032).
 */
export function openJournalReserve({ dataDir, clicks }: ReserveConfig) {
  const folder = join(dataDir, 'journal-reserve')
  const wanted = Math.ceil(clicks.reserveBytes / pieceBytes)
  const pieces = () => piecesIn(folder)
  return {
    folder,
    wanted,
    pieces,
    /**
     * Makes a file of the reserve a file of the journal.
     *
     * @param isLast for the clicks in memory when the server stops: a quarter is kept for that
     * @returns its descriptor; undefined when nothing is left
     */
    take(path: string, isLast = false): number | undefined {
      for (const name of pieces().slice(isLast ? 0 : Math.ceil(wanted / 4))) {
        const file = takeFile(join(folder, name), path)
        if (file !== undefined) return file
      }
      return undefined
    },
    status: () => {
      const ready = Math.min(pieces().length, wanted)
      return { ready: ready * pieceBytes, missing: (wanted - ready) * pieceBytes }
    },
  }
}

function takeFile(piece: string, path: string): number | undefined {
  try {
    const file = openSync(piece, 'r+')
    try {
      renameSync(piece, path)
      return file
    } catch (error) {
      closeSync(file)
      throw error
    }
  } catch {
    // Another process was faster, or the disk fails altogether.
    return undefined
  }
}

function piecesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => pieceName.test(name))
  } catch {
    return []
  }
}

/** Makes the reserve, and replaces taken files as soon as the disk has room. One process of a server does that. */
export function keepReserve({ folder, wanted, pieces }: JournalReserve, log: Logger) {
  let isShort = false
  const restore = async () => {
    const there = pieces()
    for (const name of there.slice(wanted)) await rm(join(folder, name), { force: true })
    const missing = wanted - there.length
    if (missing <= 0) return
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (let i = 0; i < wanted; i++) {
      const name = `${i}.reserve`
      if (there.includes(name)) continue
      if (freeBytes(folder) < pieceBytes + marginBytes) {
        if (!isShort)
          log.warn(
            { megabytes: ((wanted - pieces().length) * pieceBytes) / 1024 ** 2 },
            'the disk has no room for the reserve of the click journal',
          )
        isShort = true
        return
      }
      await writePiece(folder, name)
    }
    if (isShort) log.info('the reserve of the click journal is complete again')
    isShort = false
  }
  return startPeriodicJob(
    log,
    'reserve of the click journal',
    { everyMs: restoreMs, firstRunMs: 0 },
    restore,
  )
}

/** Really written: a hole in a file would need room later. */
async function writePiece(folder: string, name: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const aside = join(folder, `${name}.tmp`)
  try {
    const file = await open(aside, 'w', 0o600)
    try {
      await file.writeFile(Buffer.alloc(pieceBytes))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(aside, join(folder, name))
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
