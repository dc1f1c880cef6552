import type { Logger } from '../../log.ts'
import type { RunAsVisits } from '../counting/segment-applier.ts'
import { MarkMovedError } from './batch-applier.ts'
import type { UsableStream } from './stream-connection.ts'
import { moveStreamPosition, type StreamPosition } from './stream-marks.ts'
import type { StreamMessage } from './stream-message.ts'
import { isSameStream, readMessages, readState, type StreamState } from './stream-reader.ts'

/** Messages in memory that are not applied yet. */
const readAheadBytes = 2 * 1024 ** 2
/** Beyond this part of its size, the stream loses the older half of applied messages, so that it accepts more. */
const crowdedPart = 0.75

interface ReadAheadDeps {
  stream: string
  asVisits: RunAsVisits
  log: Logger
}

/** Messages of the stream that are not applied yet. */
interface Ahead {
  /** The position before them: the given one, or the beginning of a stream that is another one than before. */
  position: StreamPosition
  /** In order; none at the given position: there is nothing more to read. */
  messages: StreamMessage[]
  /** How many messages the stream has after the position. */
  waiting: number
}

/** Reads the messages that follow the applied ones. @throws {MarkMovedError} when another process applies the stream */
export function createReadAhead({ stream, asVisits, log }: ReadAheadDeps) {
  const startOver = async (from: StreamPosition, state: StreamState): Promise<StreamPosition> => {
    const beginning = { seq: Math.max(0, state.first - 1), id: '' }
    log.error(
      { applied: from.seq, last: state.last },
      'this is not the click stream that was read, or it has lost its end: reading it from the beginning, which counts nothing twice',
    )
    if (!(await asVisits((db) => moveStreamPosition(db, stream, from, beginning))))
      throw new MarkMovedError()
    return beginning
  }
  const makeRoom = async ({ manager, name }: UsableStream, state: StreamState, seq: number) => {
    if (state.maxBytes <= 0 || state.bytes < state.maxBytes * crowdedPart) return
    const upTo = state.first + Math.floor((seq + 1 - state.first) / 2)
    if (upTo <= state.first) return
    await manager.streams.purge(name, { seq: upTo })
    log.warn(
      { bytes: state.bytes },
      'the click stream is nearly full: applied clicks were removed from it',
    )
  }
  return async (usable: UsableStream, at: StreamPosition): Promise<Ahead> => {
    const state = await readState(usable)
    const waiting = Math.max(0, state.last - at.seq)
    if (state.last === at.seq) return { position: at, messages: [], waiting }
    if (!(await isSameStream(usable, state, at)))
      return { position: await startOver(at, state), messages: [], waiting }
    if (at.seq > 0 && state.first > at.seq + 1)
      log.error(
        { messages: state.first - at.seq - 1 },
        'the click stream removed clicks before they were counted',
      )
    const messages = await readMessages(usable, state, at.seq, readAheadBytes)
    await makeRoom(usable, state, at.seq)
    return { position: at, messages, waiting }
  }
}
