import pg from 'pg'
import type { Logger } from '../log.ts'

export interface Listener {
  /** Adds a subscriber; `onGap` is called when notifications may have been missed (at first connect and after a loss). */
  on(channel: string, onMessage: (payload: string) => void, onGap: () => void): void
  /** True while the connection is up, so that caches can trust what they hold. */
  connected(): boolean
  close(): Promise<void>
}

const retryDelays = [100, 250, 500, 1_000, 2_000]

/** One connection that listens on `channels` and comes back by itself when the database does. */
export function listen(url: string, channels: readonly string[], log: Logger): Listener {
  const subscribers: {
    channel: string
    onMessage: (payload: string) => void
    onGap: () => void
  }[] = []
  let client: pg.Client | undefined
  let connecting: pg.Client | undefined
  let isConnected = false
  let closed = false
  let failures = 0
  let timer: NodeJS.Timeout | undefined

  const lost = () => {
    isConnected = false
    client = undefined
    if (closed) return
    const delay = retryDelays[Math.min(failures++, retryDelays.length - 1)] ?? 2_000
    timer = setTimeout(() => void connect(), delay)
  }

  const connect = async () => {
    const next = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 3_000,
      keepAlive: true,
      application_name: 'hoplet listener',
    })
    let gone = false
    const onEnd = () => {
      if (gone) return
      gone = true
      lost()
    }
    next.on('error', (error) => {
      if (!closed) log.warn({ err: error }, 'listening connection lost')
      onEnd()
      void next.end().catch(() => {})
    })
    next.on('end', onEnd)
    next.on('notification', ({ channel, payload }) => {
      for (const subscriber of subscribers) {
        if (subscriber.channel === channel) subscriber.onMessage(payload ?? '')
      }
    })
    connecting = next
    try {
      await next.connect()
      for (const channel of channels) await next.query(`listen ${pg.escapeIdentifier(channel)}`)
      client = next
      isConnected = true
      failures = 0
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
      await (client ?? connecting)?.end().catch(() => {})
    },
  }
}
