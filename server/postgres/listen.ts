import pg from 'pg'
import type { Logger } from '../log.ts'
import { createPlainClient } from './client.ts'

export interface Listener {
  /** Adds a subscriber; `onGap` is called when notifications may have been missed (at first connect and after a loss). */
  on(channel: string, onMessage: (payload: string) => void, onGap: () => void): void
  /** True while the connection is up, so that caches can trust their entries. */
  connected(): boolean
  close(): Promise<void>
}

const firstRetryMs = 100
const maxRetryMs = 2_000

interface Subscriber {
  channel: string
  onMessage: (payload: string) => void
  onGap: () => void
}

/** One connection that listens on `channels` and comes back by itself when the database does. */
export function listen(url: string, channels: readonly string[], log: Logger): Listener {
  const subscribers: Subscriber[] = []
  let client: pg.Client | undefined
  let isConnected = false
  let closed = false
  let retryMs = firstRetryMs
  let timer: NodeJS.Timeout | undefined

  const lost = () => {
    isConnected = false
    if (closed) return
    timer = setTimeout(() => void connect(), retryMs)
    retryMs = Math.min(retryMs * 2, maxRetryMs)
  }

  const connect = async () => {
    const next = createPlainClient(url, 'listener', { connectTimeoutMs: 3_000 })
    let gone = false
    const onEnd = () => {
      if (gone) return
      gone = true
      lost()
    }
    next.on('error', (error) => {
      if (!closed) log.debug({ reason: error.message }, 'listening connection lost')
      onEnd()
      void next.end().catch(() => {})
    })
    next.on('end', onEnd)
    next.on('notification', ({ channel, payload }) => {
      for (const subscriber of subscribers) {
        if (subscriber.channel === channel) subscriber.onMessage(payload ?? '')
      }
    })
    client = next
    try {
      await next.connect()
      for (const channel of channels) await next.query(`listen ${pg.escapeIdentifier(channel)}`)
      isConnected = true
      retryMs = firstRetryMs
      for (const subscriber of subscribers) subscriber.onGap()
    } catch {
      onEnd()
      void next.end().catch(() => {})
    }
  }
  void connect()

  return {
    on: (channel, onMessage, onGap) => subscribers.push({ channel, onMessage, onGap }),
    connected: () => isConnected,
    async close() {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
