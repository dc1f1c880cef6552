import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** 'stopped': the server has no such stream for this person. */
export type LiveStatus = 'connecting' | 'live' | 'waiting' | 'stopped'

interface LiveReaderDeps {
  open: (signal: AbortSignal) => Promise<Response>
  onEvent: (event: EventSourceMessage) => void
  onStatus: (status: LiveStatus) => void
}

const firstPauseMs = 1_000
const maxPauseMs = 30_000
/** The server says something every 15 seconds. */
const silenceMs = 40_000

export interface LiveReader {
  start: () => void
  stop: () => void
  /** Connects now instead of after a pause, unless the connection is known to live. */
  wake: () => void
}

/** One connection, which is opened again with growing pauses whenever it is lost. */
export function createLiveReader({ open, onEvent, onStatus }: LiveReaderDeps): LiveReader {
  let connection: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let heardAt = 0

  function start() {
    if (connection !== undefined) return
    clearTimeout(timer)
    connection = new AbortController()
    onStatus('connecting')
    void run(connection)
  }

  function stop() {
    clearTimeout(timer)
    connection?.abort()
    connection = undefined
  }

  function retry() {
    stop()
    onStatus('waiting')
    const pause = Math.min(maxPauseMs, firstPauseMs * 2 ** failures++)
    // Not all pages of the world at once.
    timer = setTimeout(start, pause * (0.75 + Math.random() / 2))
  }

  async function run(own: AbortController) {
    const isCurrent = () => connection === own
    try {
      const response = await open(own.signal)
      if (isFinal(response.status)) {
        if (isCurrent()) onStatus('stopped')
        return
      }
      if (response.ok && response.body !== null) await read(response.body, own)
    } catch {
      // No network, or a proxy has cut the stream.
    }
    if (isCurrent()) retry()
  }

  async function read(body: ReadableStream<Uint8Array>, own: AbortController) {
    const parser = createParser({ onEvent })
    const decoder = new TextDecoder()
    const reader = body.getReader()
    own.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}))
    heardAt = Date.now()
    onStatus('live')
    const watch = setInterval(() => {
      // After a sleep the clock has jumped, and the connection is gone without a word.
      if (Date.now() - heardAt > silenceMs) own.abort()
    }, 5_000)
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done || own.signal.aborted) return
        heardAt = Date.now()
        failures = 0
        parser.feed(decoder.decode(value, { stream: true }))
      }
    } finally {
      clearInterval(watch)
      void reader.cancel().catch(() => {})
    }
  }

  function wake() {
    if (connection !== undefined && Date.now() - heardAt <= silenceMs / 2) return
    failures = 0
    stop()
    start()
  }

  return { start, stop, wake }
}

/** An answer that another try would not change. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}
