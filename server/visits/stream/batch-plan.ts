import type { StreamPosition } from './stream-marks.ts'
import type { StreamMessage } from './stream-message.ts'

/** New records of a batch of messages, by source. */
export interface BatchPlan {
  /** Records that are not applied yet. */
  bytes: Buffer
  /** How the mark of each source moves. */
  moves: Map<string, { from: number; to: number }>
  /** The last message. */
  to: StreamPosition
  /** Bytes that no message had. */
  missingBytes: number
  /** Messages that Hoplet did not write. */
  foreign: number
}

/**
 * Bytes before a source's mark are applied already: a message came twice, as such or as a part of another one. Bytes
 * between the mark and a message are missing; later ones count.
 */
export function planBatch(
  messages: readonly [StreamMessage, ...StreamMessage[]],
  marks: ReadonlyMap<string, number>,
): BatchPlan {
  const parts: Buffer[] = []
  const moves: BatchPlan['moves'] = new Map()
  let [{ seq, id }] = messages
  let missingBytes = 0
  let foreign = 0
  for (const message of messages) {
    ;({ seq, id } = message)
    if (!message.content) {
      foreign++
      continue
    }
    const { source, from, bytes } = message.content
    const before = marks.get(source) ?? 0
    const move = moves.get(source) ?? { from: before, to: before }
    const to = from + bytes.length
    if (to <= move.to) continue
    missingBytes += Math.max(0, from - move.to)
    parts.push(bytes.subarray(Math.max(0, move.to - from)))
    moves.set(source, { from: move.from, to })
  }
  return { bytes: Buffer.concat(parts), moves, to: { seq, id }, missingBytes, foreign }
}
