import type { EventSourceMessage } from 'eventsource-parser'
import fc from 'fast-check'
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { endSharedServer } from '#test/shared-server.ts'
import { combineCounts, readLiveHits } from '#web/clicks/live/hit-counts.ts'
import type { ClickHit } from '#domain/reports/report-answers.ts'
import { figuresOf } from '#web/features/analytics/figures.ts'
import {
  aheadOf,
  arrivedCounts,
  leastBefore,
  type StreamCounts,
} from '#web/features/analytics/live/live-hits.ts'
import { createLiveReader, type LiveStatus } from '#web/clicks/live/live-reader.ts'
import type { OpenReport } from '#web/features/analytics/use-report.ts'

/** The events of a stream that comes in these pieces and then ends. */
async function eventsOf(pieces: readonly Uint8Array[]): Promise<EventSourceMessage[]> {
  const events: EventSourceMessage[] = []
  const stream = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  await new Promise<void>((resolve) => {
    const reader = createLiveReader({
      open: () => Promise.resolve(new Response(stream)),
      onEvent: (event) => events.push(event),
      onStatus: (status) => {
        if (status === 'waiting') resolve()
      },
    })
    reader.start()
    onTestFinished(reader.stop)
  })
  return events
}

describe('a stream of events', () => {
  it('is read the same with any split into chunks', async () => {
    const stream = ': hello\n\nevent: hits\ndata: {"city":"Zürich"}\n\ndata:x\ndata: y\nid: 7\n\n'
    const bytes = new TextEncoder().encode(stream)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 8 }), async (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b)]
        const pieces = at.map((start, index) => bytes.subarray(start, at[index + 1]))
        expect(await eventsOf(pieces)).toMatchObject([
          { event: 'hits', data: '{"city":"Zürich"}' },
          { data: 'x\ny' },
        ])
      }),
    )
  })

  it('never fails on unreadable events', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array()), async (pieces) => void (await eventsOf(pieces))),
    )
    expect(readLiveHits({ event: 'hits', data: '{' })).toBeUndefined()
    expect(readLiveHits({ event: 'other', data: '{}' })).toBeUndefined()
    expect(readLiveHits({ event: 'hits', data: '{"hits":3}' })).toEqual({ hits: [], received: {} })
  })
})

describe('the connection', () => {
  beforeAll(endSharedServer)
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function follow(open: (signal: AbortSignal) => Promise<Response>) {
    const statuses: LiveStatus[] = []
    const opened = vi.fn(open)
    const reader = createLiveReader({
      open: opened,
      onEvent: () => {},
      onStatus: (status) => statuses.push(status),
    })
    reader.start()
    return { reader, statuses, opened }
  }
  const failing = () => Promise.reject(new Error('no network'))
  /** A stream that says nothing. */
  const silent = () => Promise.resolve(new Response(new ReadableStream({ start: () => {} })))

  it('is tried again after pauses that grow to half a minute', async () => {
    const { opened, statuses, reader } = follow(failing)
    const times: number[] = []
    opened.mockImplementation(() => {
      times.push(Date.now())
      return failing()
    })
    const start = Date.now()
    await vi.advanceTimersByTimeAsync(300_000)
    const pauses = times.map((time, index) => time - (times[index - 1] ?? start))
    expect(pauses.length).toBeGreaterThan(8)
    for (const [index, pause] of pauses.slice(0, 5).entries()) {
      expect(pause).toBeGreaterThanOrEqual(0.75 * 1000 * 2 ** index)
      expect(pause).toBeLessThanOrEqual(1.25 * 1000 * 2 ** index)
    }
    expect(Math.max(...pauses)).toBeLessThanOrEqual(1.25 * 30_000)
    expect(statuses.slice(0, 3)).toEqual(['connecting', 'waiting', 'connecting'])
    reader.stop()
    const calls = opened.mock.calls.length
    await vi.advanceTimersByTimeAsync(100_000)
    expect(opened).toHaveBeenCalledTimes(calls)
  })

  it('ends where the server refuses it', async () => {
    const { opened, statuses } = follow(() => Promise.resolve(new Response('', { status: 403 })))
    await vi.advanceTimersByTimeAsync(300_000)
    expect(opened).toHaveBeenCalledTimes(1)
    expect(statuses.at(-1)).toBe('stopped')
  })

  it('is given up when nothing is heard, and wakes at once', async () => {
    const { opened, statuses, reader } = follow(silent)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(statuses).toEqual(['connecting', 'live'])
    reader.wake()
    expect(opened).toHaveBeenCalledTimes(1)
    // The machine slept.
    await vi.advanceTimersByTimeAsync(25_000)
    reader.wake()
    expect(opened).toHaveBeenCalledTimes(2)
    expect(opened.mock.calls[0]?.[0].aborted).toBe(true)
    await vi.advanceTimersByTimeAsync(50_000)
    expect(opened.mock.calls.length).toBeGreaterThan(2)
    reader.stop()
  })

  it('is never open twice', async () => {
    let open = 0
    const { reader } = follow((signal) => {
      open++
      signal.addEventListener('abort', () => open--)
      return silent()
    })
    reader.start()
    reader.wake()
    await vi.advanceTimersByTimeAsync(21_000)
    reader.wake()
    reader.wake()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(open).toBe(1)
    reader.stop()
    expect(open).toBe(0)
  })
})

describe('hits that arrive', () => {
  const hit = (values: Partial<ClickHit>): ClickHit => ({
    cursor: '1',
    at: '2026-11-22T00:00:00Z',
    kind: 'link',
    target: 'an id',
    label: 'raku',
    verdict: 'counted',
    source: 'link',
    referrer: '',
    page: '',
    country: 'DE',
    region: '',
    city: '',
    device: '',
    browser: '',
    system: '',
    language: '',
    rule: '',
    variant: '',
    placement: '',
    bot: '',
    utm: { medium: 'email' },
    ...values,
  })
  const reportOf = (filters: OpenReport['selection']['filters'], isRunning = true) =>
    ({ isRunning, selection: { filters } }) as OpenReport

  it('count by their verdicts, narrowed by those that can be told apart', () => {
    const hits = [hit({}), hit({ country: 'FI', verdict: 'repeat' })]
    const received = { counted: 7, repeat: 2 }
    expect(arrivedCounts(reportOf({}), received, hits)).toEqual(received)
    expect(arrivedCounts(reportOf({ country: ['FI'] }), received, hits)).toEqual({ repeat: 1 })
    expect(arrivedCounts(reportOf({ utm_medium: ['email'], target: ['an id'] }), {}, hits)).toEqual(
      {
        counted: 1,
        repeat: 1,
      },
    )
    expect(arrivedCounts(reportOf({}, false), received, hits)).toEqual({})
  })

  const totalsOf = (counts: Record<string, number>) => ({
    by: 'total',
    from: '',
    to: '',
    time_zone: 'UTC',
    sampled: null,
    clicks: 12,
    visitors: 8,
    returning: 1,
    rest: 0,
    rows: Object.entries(counts).map(([key, clicks]) => ({ key, clicks })),
  })

  it('live hits move the totals within the switches', () => {
    const totals = totalsOf({ counted: 9, repeat: 3, crawler: 4 })
    const figures = figuresOf(totals, ['repeats'], { counted: 2, own: 5, monitor: 1 })
    expect(figures).toEqual({
      clicks: 14,
      visitors: 8,
      returning: 1,
      filtered: 10,
      parts: { counted: 11, repeat: 3, own: 5, crawler: 4, monitor: 1 },
    })
  })

  it('show no more than the stored ones, and never fewer than before', () => {
    type Step = 'hit' | 'told' | 'read'
    const steps = fc.array(fc.constantFrom<Step>('hit', 'hit', 'told', 'read'), { maxLength: 60 })
    fc.assert(
      fc.property(steps, (taken) => {
        let [stored, told, shown] = [0, 0, 0]
        let totals = totalsOf({ counted: 0 })
        let isCovered = true
        let stream: StreamCounts = { came: {}, before: { counted: 0 } }
        for (const step of taken) {
          if (step === 'hit') stored++
          if (step === 'read') {
            totals = totalsOf({ counted: stored })
            isCovered = false
          }
          if (step === 'told') {
            const came = combineCounts(stream.came, { counted: stored - told }, (a, b) => a + b)
            stream = { ...stream, came }
            told = stored
            if (!isCovered) stream = { ...stream, before: leastBefore(stream, totals) }
            isCovered = true
          }
          const now = figuresOf(totals, [], aheadOf(stream, totals)).parts.counted ?? 0
          expect(now).toBeGreaterThanOrEqual(shown)
          expect(now).toBeLessThanOrEqual(stored)
          shown = now
        }
      }),
    )
  })

  it('are shown on arrival, once an answer has the earlier ones', () => {
    const totals = totalsOf({ counted: 5 })
    const stream = { came: { counted: 2 }, before: undefined }
    expect(aheadOf(stream, totals)).toEqual({})
    const known = { ...stream, before: leastBefore(stream, totals) }
    expect(aheadOf(known, totals).counted).toBe(0)
    expect(aheadOf({ ...known, came: { counted: 3 } }, totals).counted).toBe(1)
  })
})
