import type { Logger } from '../../log.ts'
import { decodeClicks } from '../record/decode-clicks.ts'
import type { Segment } from '../journal/journal-files.ts'
import type { Journal } from '../journal/journal.ts'
import type { RunAsVisits } from '../counting/segment-applier.ts'
import { readMark } from '../counting/segment-marks.ts'
import { maxPublishBytes, type SourceBytes } from './stream-message.ts'

interface ReplayerDeps {
  journal: Journal
  publish: (content: SourceBytes) => Promise<void>
  asVisits: RunAsVisits
  /** The stream has taken a part of a file. */
  onPublished?: () => void
  log: Logger
}

/**
 * Publishes the files of a journal into the click stream, from where their sources stand, and removes them. A file that
 * was written with CLICK_LOG=journal may be applied already, wholly or in part: its mark says so, and it stays for as long as
 * the applier would keep it.
 */
export function createReplayer({ journal, publish, asVisits, onPublished, log }: ReplayerDeps) {
  const buffer = Buffer.allocUnsafe(maxPublishBytes)
  /** Files that were applied without the stream. */
  const applied = new Set<string>()
  let records = 0

  const publishNext = async (segment: Segment, from: number): Promise<void> => {
    const length = journal.read(segment, from, buffer)
    const isEnd = from + length >= segment.size || length === 0
    const decoded = decodeClicks(buffer.subarray(0, length), Number.POSITIVE_INFINITY, isEnd)
    // One of a later version goes on as it is, alone: a reader of the stream stops at it.
    const read = decoded.end > 0 ? decoded.end : (decoded.newer?.size ?? 0)
    const to = length === 0 ? segment.size : from + read
    const bytes = Buffer.from(buffer.subarray(0, to - from))
    if (bytes.length > 0 && length > 0)
      await publish({ source: segment.id, from: (segment.base ?? 0) + from, bytes })
    segment.applied = to
    records += decoded.clicks.targets.length
    onPublished?.()
  }
  const replayFile = async (segment: Segment): Promise<void> => {
    if (segment.applied === undefined) {
      const isPlain = segment.base === undefined
      segment.applied = isPlain ? await asVisits((db) => readMark(db, segment.id)) : 0
      if (isPlain && segment.applied >= segment.size) applied.add(segment.id)
    }
    while (segment.applied < segment.size) await publishNext(segment, segment.applied)
    if (!segment.closed || applied.has(segment.id)) return
    journal.remove(segment)
    log.info({ segment: segment.id, bytes: segment.size }, 'a file of clicks is in the stream now')
  }

  return {
    /**
     * Publishes unpublished records of the files, in order.
     *
     * @throws {Error} while the stream or, for files that it needs a mark of, the database does not answer
     */
    async replay(): Promise<void> {
      for (const segment of journal.segments()) await replayFile(segment)
    },
    /** Whether there is something to publish, as far as known. */
    isBehind: () =>
      journal
        .segments()
        .some((each) => (each.applied ?? 0) < each.size || (each.closed && !applied.has(each.id))),
    /** Records published. */
    records: () => records,
  }
}
