import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../../log.ts'

const pathIn = (folder: string): string => join(folder, 'only-in-memory')
/** Always as long, so that a new number needs no room on the disk. */
const width = 16

/** Writes how many clicks only memory holds. Where even that fails, the next start cannot tell. */
export function writeOnlyInMemory(folder: string, clicks: number): void {
  try {
    const file = openSync(pathIn(folder), 'r+')
    write(file, clicks)
  } catch {
    create(folder, clicks)
  }
}

function create(folder: string, clicks: number): void {
  try {
    write(openSync(pathIn(folder), 'w', 0o600), clicks)
  } catch {
    // The disk is full already, or gone.
  }
}

function write(file: number, clicks: number): void {
  try {
    writeSync(file, String(clicks).padEnd(width), 0)
  } finally {
    closeSync(file)
  }
}

/** Clicks that an ended process held only in memory, by the file in its folder. */
export function readOnlyInMemory(folder: string): number {
  try {
    const clicks = Number(readFileSync(pathIn(folder), 'latin1'))
    return Number.isSafeInteger(clicks) ? clicks : 0
  } catch {
    return 0
  }
}

export const removeOnlyInMemory = (folder: string): void => rmSync(pathIn(folder), { force: true })

/** Sums up and logs the clicks that earlier processes lost with their memory. */
export function createLostClicks(log: Logger) {
  let sum = 0
  return {
    add(clicks: number): void {
      sum += clicks
      log.error({ clicks }, 'clicks were lost: only the memory of a process that ended held them')
    },
    clicks: () => sum,
  }
}
