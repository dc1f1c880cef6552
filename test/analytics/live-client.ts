import type { TestServer } from '#test/server.ts'

export interface LiveEvent {
  event: string
  data: {
    hits: { cursor: string; verdict: string; label: string | null }[]
    received: Record<string, number>
    reason?: string
  }
  /** When it arrived, by performance.now(). */
  at: number
}

export interface LiveClient {
  status: number
  headers: Headers
  /** The body of a refusal. */
  error?: string
  events: LiveEvent[]
  /** Everything that came, comments too. */
  text(): string
  /** Whether the server has ended the stream. */
  isOver(): boolean
  received(): Record<string, number>
  close(): void
}

/** Follows a live stream as a program would. */
export async function openLive(
  server: Pick<TestServer, 'url'>,
  who: { headers: Record<string, string> } | undefined,
  query: Record<string, string> = { scope: 'account' },
): Promise<LiveClient> {
  const abort = new AbortController()
  const response = await fetch(
    `${server.url}/functions/v1/live?${new URLSearchParams(query).toString()}`,
    { headers: who?.headers ?? {}, signal: abort.signal },
  )
  const client = { status: response.status, headers: response.headers, events: [] as LiveEvent[] }
  if (!response.ok) {
    const { error } = (await response.json()) as { error: string }
    const nothing = { text: () => '', isOver: () => true, received: () => ({}), close() {} }
    return { ...client, error, ...nothing }
  }
  let text = ''
  let rest = ''
  let over = false
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      const more = decoder.decode(chunk, { stream: true })
      text += more
      rest += more
      const frames = rest.split('\n\n')
      rest = frames.pop() ?? ''
      for (const frame of frames) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? []
        if (event === undefined) continue
        client.events.push({
          event,
          data: JSON.parse(data ?? '{}') as LiveEvent['data'],
          at: performance.now(),
        })
      }
    }
  }
  void read()
    .catch(() => {})
    .finally(() => (over = true))
  return {
    ...client,
    text: () => text,
    isOver: () => over,
    received: () => client.events.findLast(({ event }) => event === 'hits')?.data.received ?? {},
    close: () => abort.abort(),
  }
}
