import { setImmediate as nextTurn } from 'node:timers/promises'
import { decodeClicks } from '../record/decode-clicks.ts'
import type { RunAsVisits } from '../counting/segment-applier.ts'
import { addWaiting, type WaitingByTarget, type WaitingClicks } from '../counting/waiting-clicks.ts'
import type { StreamConnection } from './stream-connection.ts'
import { readStreamPosition, type StreamPosition } from './stream-marks.ts'
import type { StreamMessage } from './stream-message.ts'
import { readMessages, readState } from './stream-reader.ts'

/** How far the database is behind the stream. */
export interface StreamLag {
  messages: number
  /** As many messages as this of average size have. */
  bytes: number
  oldestAt: number | undefined
}

interface StreamLagDeps {
  connection: StreamConnection
  stream: string
  asVisits: RunAsVisits
  /** The mark, if this process moves it. */
  position: () => StreamPosition | undefined
}

const maxBytes = 1024 ** 2

/** Messages of the click stream that are not in the database. */
export function createStreamLag({ connection, stream, asVisits, position }: StreamLagDeps) {
  let lag: StreamLag = { messages: 0, bytes: 0, oldestAt: undefined }
  let reading: Promise<StreamMessage[] | undefined> | undefined

  const read = async (): Promise<StreamMessage[] | undefined> => {
    const usable = connection.current()
    if (!usable) return undefined
    const mark = position() ?? (await asVisits((db) => readStreamPosition(db, stream)))
    const state = await readState(usable)
    const from = Math.max(mark?.seq ?? 0, state.first - 1)
    const messages = Math.max(0, state.last - from)
    const average = state.bytes / Math.max(1, state.messages)
    const found = messages === 0 ? [] : await readMessages(usable, state, from, maxBytes)
    lag = { messages, bytes: Math.round(messages * average), oldestAt: found[0]?.at }
    return found
  }
  const refresh = () => (reading ??= read().finally(() => (reading = undefined)))

  return {
    /** As of the last `refresh`. */
    last: () => lag,
    refresh,
    /** Clicks in the first 64 messages, one megabyte at most; undefined while the stream cannot be asked. */
    async waiting(): Promise<WaitingByTarget | undefined> {
      const messages = await refresh()
      if (!messages) return undefined
      const found = new Map<string, WaitingClicks>()
      for (const { content } of messages) {
        if (!content) continue
        addWaiting(found, decodeClicks(content.bytes, Number.POSITIVE_INFINITY, true).clicks)
        await nextTurn()
      }
      return found
    },
  }
}
