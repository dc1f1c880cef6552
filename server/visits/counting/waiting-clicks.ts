import { setImmediate as nextTurn } from 'node:timers/promises'
import { maxRecordSize } from '../record/click-record.ts'
import { type ClickColumns, decodeClicks } from '../record/decode-clicks.ts'
import type { Segment } from '../journal/journal-files.ts'
import type { Journal } from '../journal/journal.ts'

/** Clicks on one target that are in the journal and not in the database yet. */
export interface WaitingClicks {
  count: number
  /** Epoch milliseconds. */
  oldestAt: number
}

/** By the target's id as 32 hexadecimal digits. */
export type WaitingByTarget = ReadonlyMap<string, WaitingClicks>

const maxBytes = 1024 ** 2
/** Read at a time: about a millisecond, and then it is the visitors' turn. */
const sliceBytes = 16 * 1024

/**
 * Reads the part of the journal that is not applied, but no more than its first megabyte.
 *
 * @returns undefined as long as it is not known how far the files of an earlier process were applied
 */
export async function readWaitingClicks(journal: Journal): Promise<WaitingByTarget | undefined> {
  const segments = journal.segments()
  if (segments.some(({ applied }) => applied === undefined)) return undefined
  const found = new Map<string, WaitingClicks>()
  let left = maxBytes
  for (const segment of segments) left -= await readSegment(journal, segment, left, found)
  return found
}

/** Adds clicks to those that wait. */
export function addWaiting(found: Map<string, WaitingClicks>, clicks: ClickColumns): void {
  for (const [i, target] of clicks.targets.entries()) {
    // Popup actions do not count as clicks.
    if (clicks.kinds[i] === 'popup') continue
    const at = clicks.times[i] ?? 0
    const known = found.get(target) ?? { count: 0, oldestAt: at }
    found.set(target, { count: known.count + 1, oldestAt: Math.min(known.oldestAt, at) })
  }
}

/** Clicks that wait in two places. */
export function mergeWaiting(one: WaitingByTarget, other: WaitingByTarget): WaitingByTarget {
  const found = new Map(one)
  for (const [target, { count, oldestAt }] of other) {
    const known = found.get(target) ?? { count: 0, oldestAt }
    const oldest = Math.min(known.oldestAt, oldestAt)
    found.set(target, { count: known.count + count, oldestAt: oldest })
  }
  return found
}

async function readSegment(
  journal: Journal,
  segment: Segment,
  most: number,
  found: Map<string, WaitingClicks>,
): Promise<number> {
  const buffer = Buffer.allocUnsafe(sliceBytes)
  let read = 0
  let from = segment.applied ?? 0
  while (read < most && from < segment.size) {
    const length = journal.read(segment, from, buffer)
    const isEnd = from + length >= segment.size || length < maxRecordSize
    const { clicks, end } = decodeClicks(buffer.subarray(0, length), Infinity, isEnd)
    addWaiting(found, clicks)
    if (end === 0) break
    read += end
    from += end
    await nextTurn()
    // Clicks that the applier has moved to the database meanwhile are not waiting.
    from = Math.max(from, segment.applied ?? 0)
  }
  return read
}
