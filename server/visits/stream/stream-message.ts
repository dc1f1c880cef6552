/** Click records on their way: bytes of a source, which numbers its bytes from 0 as a segment of the journal does. */
export interface SourceBytes {
  /** The id of the source in `app.click_segments`: a UUID. */
  source: string
  /** Where the bytes begin in the source. */
  from: number
  bytes: Buffer
}

/** {@link SourceBytes} as the stream holds them. */
export interface StreamMessage {
  seq: number
  /** When the stream stored it, in epoch milliseconds. */
  at: number
  /** The id the message was published with; empty when it is not one of ours. */
  id: string
  content: SourceBytes | undefined
}

/** The most bytes of records in one message: a fraction of the default limit of a NATS server. */
export const maxPublishBytes = 256 * 1024

/** The stream drops a second message of the same id within its duplicate window, so it names the bytes exactly. */
export const messageId = ({ source, from, bytes }: SourceBytes): string =>
  `${source}:${from}:${from + bytes.length}`

const idPattern = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):(\d{1,15}):(\d{1,15})$/

/** Contents of a message; undefined when its id does not describe its bytes. */
export function contentOf(id: string, bytes: Buffer): SourceBytes | undefined {
  const [, source, from, to] = idPattern.exec(id) ?? []
  if (source === undefined || Number(to) - Number(from) !== bytes.length) return undefined
  return { source, from: Number(from), bytes }
}
