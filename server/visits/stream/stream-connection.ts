import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../log.ts'
import { prepareStream, StreamProblemsError, subjectOf } from './click-stream.ts'
import { connectToStream } from './connect-to-stream.ts'
import type { ClickStreamSettings } from './stream-address.ts'
import { messageId, type SourceBytes } from './stream-message.ts'
import { errorMessage } from '../../primitives/caught-error.ts'
import { orThrow } from '../../primitives/or-throw.ts'

/** The stream, while it can be used. */
export interface UsableStream {
  name: string
  client: JetStreamClient
  manager: JetStreamManager
}

export type StreamConnection = ReturnType<typeof openStreamConnection>

const retryMs = 250
/** Settings that are wrong need a person. */
const problemRetryMs = 5_000
/** Longer than the election of a leader on a slow network would be too long for a visitor: then the journal takes over. */
const ackTimeoutMs = 500

/** Connects in the background, and again after each loss, and uses the stream only while it is as the settings ask. */
export function openStreamConnection(settings: ClickStreamSettings, log: Logger) {
  const closing = new AbortController()
  let usable: UsableStream | undefined
  const news = new EventEmitter().setMaxListeners(0)
  let connection: NatsConnection | undefined
  let lastProblem: string | undefined

  const note = (error: unknown) => {
    const text = errorMessage(error)
    if (text === lastProblem) return
    lastProblem = text
    if (error instanceof StreamProblemsError)
      log.error({ problems: error.problems }, 'the click stream is not as it must be')
    else log.warn({ err: error }, 'the click stream cannot be reached')
  }
  const connectOnce = async (): Promise<void> => {
    connection = await connectToStream(settings)
    try {
      if (closing.signal.aborted) return
      const { jetstream } = await import('@nats-io/jetstream')
      const manager = await prepareStream(connection, settings)
      usable = { name: settings.stream, manager, client: jetstream(connection) }
      news.emit('usable')
      if (lastProblem !== undefined) log.info('the click stream can be used')
      lastProblem = undefined
      if (closing.signal.aborted) return
      const reason = await connection.closed()
      if (reason && !closing.signal.aborted) note(reason)
    } finally {
      usable = undefined
      await connection.close().catch(() => {})
    }
  }
  const run = async () => {
    while (!closing.signal.aborted) {
      let pauseMs = retryMs
      try {
        await connectOnce()
      } catch (error) {
        note(error)
        if (error instanceof StreamProblemsError) pauseMs = problemRetryMs
      }
      await sleep(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }
  const running = run()

  const usableWithin = async (timeoutMs: number): Promise<UsableStream> => {
    if (!usable) {
      const waiting = new AbortController()
      const timer = setTimeout(() => waiting.abort(), timeoutMs)
      await once(news, 'usable', { signal: waiting.signal }).catch(() => {})
      clearTimeout(timer)
    }
    return orThrow(usable, () => new Error('the click stream cannot be reached'))
  }

  return {
    /** Undefined while the stream cannot be used. */
    current: () => usable,
    usableWithin,
    /**
     * Resolves when the stream has stored the bytes on most of its replicas.
     *
     * @throws {Error} otherwise; then the stream may have stored them, or may do so later
     */
    async publish(content: SourceBytes): Promise<void> {
      const { client } = await usableWithin(ackTimeoutMs)
      await client.publish(subjectOf(settings), content.bytes, {
        msgID: messageId(content),
        timeout: ackTimeoutMs,
        retries: 0,
      })
    },
    /** Connects again, which checks the stream, and creates one that was deleted. */
    async reset(): Promise<void> {
      usable = undefined
      await connection?.close().catch(() => {})
    },
    async close(): Promise<void> {
      closing.abort()
      await connection?.close().catch(() => {})
      await running
    },
  }
}
