import type { ServerResponse } from 'node:http'
import { createCounts } from '../primitives/counts.ts'
import { createHistogram } from '../primitives/histogram.ts'
import type { ResponseSink } from './responses.ts'

/** Outcomes of visits (decide.ts, visit-handler.ts). */
const outcomes = [
  'redirect',
  'interstitial',
  'password',
  'preview',
  'preview-page',
  'no-preview-page',
  'not-yet',
  'ended',
  'bio',
  'bio-link',
  'bio-link-lost',
  'demo',
  'popup',
  'gone',
  'missing',
  'mended',
  'not-found',
  'root',
  'too-many-misses',
  'unavailable',
  'wrong-method',
  'failed',
] as const

/** In seconds. Most visits take less than a millisecond. */
const durationBounds = [
  0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
]

export type VisitMeter = ReturnType<typeof createVisitMeter>

/** A response of node:http that can be sent once. */
export interface MeasuredSink extends ResponseSink {
  isSent(): boolean
}

/** Counts visits and how long they take, with plain numbers: it is on the path of every redirect. */
export function createVisitMeter() {
  const duration = createHistogram(durationBounds)
  const decided = createCounts(outcomes)
  /** Responses by the first digit of their status. */
  const statuses = [0, 0, 0, 0, 0, 0]
  let inFastLane = 0

  return {
    /** A redirect left through the fast lane, `ms` after its request was read. */
    sentByFastLane(ms: number): void {
      inFastLane++
      duration.observe(ms / 1_000)
    },
    decided: decided.add,
    /** Measures from now until the response is given to node:http. */
    measure(response: ServerResponse): MeasuredSink {
      const startedAt = performance.now()
      return {
        send({ status, location, headers, body }) {
          response.writeHead(
            status,
            location === undefined ? headers : ['Location', location, ...headers],
          )
          response.end(body)
          const digit = Math.floor(status / 100)
          statuses[digit] = (statuses[digit] ?? 0) + 1
          duration.observe((performance.now() - startedAt) / 1_000)
        },
        isSent: () => response.headersSent,
      }
    },
    read: () => ({
      duration: duration.read(),
      inFastLane,
      outcomes: decided.read().map(({ words: [outcome = ''], count }) => ({
        outcome,
        count: outcome === 'redirect' ? count + inFastLane : count,
      })),
      /** By the first digit of the status. */
      statuses: statuses.map((count, digit) => (digit === 3 ? count + inFastLane : count)),
    }),
  }
}
