import type { StoredMsg } from '@nats-io/jetstream'
import type { UsableStream } from './stream-connection.ts'
import type { StreamPosition } from './stream-marks.ts'
import { contentOf, type StreamMessage } from './stream-message.ts'

/** Messages read at a time: their answers come in one round trip. */
const maxMessages = 64

export interface StreamState {
  first: number
  last: number
  messages: number
  bytes: number
  /** How many bytes the stream takes; -1: no limit. */
  maxBytes: number
}

export async function readState({ manager, name }: UsableStream): Promise<StreamState> {
  const { state, config } = await manager.streams.info(name)
  const { first_seq: first, last_seq: last, messages, bytes } = state
  return { first, last, messages, bytes, maxBytes: config.max_bytes }
}

/** Whether the message at the position is the one that was applied. One that has expired since says nothing. */
export async function isSameStream(
  stream: UsableStream,
  { first, last }: StreamState,
  { seq, id }: StreamPosition,
): Promise<boolean> {
  if (seq === 0 || seq < first) return seq <= last
  return seq <= last && (await readWithRetry(stream, seq)).id === id
}

/**
 * Reads messages after `seq`, in order and without a gap, with about `maxBytes` of clicks.
 *
 * @returns none when there are none yet
 */
export async function readMessages(
  stream: UsableStream,
  { first, last, bytes, messages }: StreamState,
  seq: number,
  maxBytes: number,
): Promise<StreamMessage[]> {
  const from = Math.max(seq + 1, first)
  const average = bytes / Math.max(1, messages)
  const count = Math.min(last - from + 1, maxMessages, Math.max(1, Math.floor(maxBytes / average)))
  if (count < 1) return []
  const found = await Promise.all(
    Array.from({ length: count }, (_, i) => readAny(stream, from + i)),
  )
  const missing = found.indexOf(undefined)
  const read = found.slice(0, missing === -1 ? count : missing).filter((each) => each !== undefined)
  return read.length > 0 ? read : [await readWithRetry(stream, from)]
}

/** From any replica: one that is behind does not have the message yet. */
async function readAny(
  { manager, name }: UsableStream,
  seq: number,
): Promise<StreamMessage | undefined> {
  const found = await manager.direct.getMessage(name, { seq })
  return found ? messageOf(found) : undefined
}

/** From the leader, when the next best replica does not have it: a message that the leader lacks was deleted. */
async function readWithRetry(stream: UsableStream, seq: number): Promise<StreamMessage> {
  const found =
    (await readAny(stream, seq)) ??
    (await stream.manager.streams
      .getMessage(stream.name, { seq })
      .then((kept) => kept && messageOf(kept)))
  return found ?? { seq, at: Date.now(), id: '', content: undefined }
}

function messageOf({ seq, data, header, timestamp }: StoredMsg): StreamMessage {
  const id = header.get('Nats-Msg-Id')
  const content = contentOf(id, Buffer.from(data.buffer, data.byteOffset, data.byteLength))
  return { seq, at: Date.parse(timestamp), id: content ? id : '', content }
}
