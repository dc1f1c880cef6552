import type { Logger } from '../../log.ts'
import { timeOrderedUuid } from '../journal/journal-files.ts'
import { decodeClicks } from '../record/decode-clicks.ts'
import type { ToDatabase } from '../counting/click-log.ts'
import type { JournalWriter } from '../journal/journal-writer.ts'
import { maxPublishBytes, type SourceBytes } from './stream-message.ts'

interface StreamWriterDeps {
  /** Resolves when the stream has stored the bytes; rejects when that is not known. */
  publish: (content: SourceBytes) => Promise<void>
  /** Takes over while the stream does not answer. */
  journal: JournalWriter
  /** Takes over from the journal while that cannot be written. */
  toDatabase: ToDatabase
  log: Logger
}

interface Waiting {
  records: Buffer
  release: () => void
}

/**
 * Publishes click records, one message at a time: records that arrive meanwhile are the next one (group commit).
 *
 * When a message is not acknowledged, the journal takes over, and nothing waits for the stream any more. The stream may
 * have that message nevertheless, or get it later. So it keeps its place in its source: the file that takes over begins with it,
 * and carries the source's id and the place in its name. In any order and number of arrivals, the
 * source's mark counts each byte once.
 */
export function createStreamWriter({ publish, journal, toDatabase, log }: StreamWriterDeps) {
  const newSource = () => ({ id: timeOrderedUuid(), base: 0 })
  let source = newSource()
  let waiting: Waiting[] = []
  let publishing: Promise<void> | undefined
  /** Ends in the turn that finds nothing more, so that no later record is left waiting. */
  let isPublishing = false
  let isTakenOver = false
  /** Messages with an unknown fate that the journal could not take: they stay in memory for the stream. */
  let held: SourceBytes[] = []
  const totals = { published: 0, takeovers: 0, lost: 0 }

  const append = ({ records, release }: Waiting) => {
    if (journal.append(records)) release()
    else toDatabase(records, release)
  }

  /** As many as fit into one message. */
  const nextBatch = (): Waiting[] => {
    let bytes = 0
    const end = waiting.findIndex(({ records }, i) => {
      bytes += records.length
      return i > 0 && bytes > maxPublishBytes
    })
    return waiting.splice(0, end === -1 ? waiting.length : end)
  }

  const takeOver = (batch: readonly Waiting[], content: SourceBytes, error: unknown) => {
    isTakenOver = true
    totals.takeovers++
    log.warn({ err: error }, 'the click stream does not answer: the journal takes the clicks')
    if (!journal.append(content.bytes, source)) held.push(content)
    for (const { release } of batch) release()
    const rest = waiting
    waiting = []
    for (const each of rest) append(each)
  }

  const publishAll = async (): Promise<void> => {
    isPublishing = true
    while (waiting.length > 0) {
      const batch = nextBatch()
      const bytes = Buffer.concat(batch.map(({ records }) => records))
      const content = { source: source.id, from: source.base, bytes }
      try {
        await publish(content)
      } catch (error) {
        isPublishing = false
        takeOver(batch, content, error)
        return
      }
      source.base += bytes.length
      totals.published++
      for (const { release } of batch) release()
    }
    isPublishing = false
  }

  return {
    /** Calls `release` when the records are safe: in the stream, in the journal, or in the database. */
    write(records: Buffer, release: () => void): void {
      if (isTakenOver) return append({ records, release })
      // A copy, because the caller uses its buffer again.
      waiting.push({ records: Buffer.from(records), release })
      if (!isPublishing) publishing = publishAll()
    },
    isTakenOver: () => isTakenOver,
    /** Publishes the messages in memory. Rejects when that fails. */
    async publishHeld(): Promise<void> {
      for (let content = held[0]; content; content = held[0]) {
        await publish(content)
        held.shift()
      }
    },
    /** The stream answers again: publishes from now on, as a new source. */
    resume(): void {
      if (!isTakenOver) return
      isTakenOver = false
      source = newSource()
      log.info('the click stream answers: it takes the clicks again')
    },
    status: () => ({ ...totals }),
    /** Waits for messages on their way. Those still in memory that the journal does not take now are lost and counted. */
    async close(): Promise<void> {
      await publishing
      held = held.filter(({ source: id, from, bytes }) => !journal.keep(bytes, { id, base: from }))
      for (const { bytes } of held)
        totals.lost += decodeClicks(bytes, Number.POSITIVE_INFINITY, true).clicks.targets.length
      if (held.length > 0) log.error({ clicks: totals.lost }, 'clicks were lost')
      held = []
    },
  }
}
