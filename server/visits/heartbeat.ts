import { randomUUID } from 'node:crypto'
import type { Database } from '../postgres/database.ts'
import type { Listener } from '../postgres/listen.ts'

/** Proof that notifications arrive, and not only that a connection seems to stand. */
export interface Heartbeat {
  /** True while our own notifications come back. */
  isHeard(): boolean
  close(): void
}

const every = 5_000
const validFor = 12_000

/**
 * Notifies itself every five seconds. PostgreSQL delivers notifications in the order of their commits, so when ours is
 * back, all that were sent before it have been here. `now` is in milliseconds, monotonic.
 */
export function startHeartbeat(
  database: Database,
  listener: Listener,
  now: () => number,
): Heartbeat {
  const id = randomUUID()
  let sent = 0
  let sentAt = Number.NEGATIVE_INFINITY
  let heardAt = Number.NEGATIVE_INFINITY
  let closed = false
  const payload = () => `ping:${id}:${sent}`

  const beat = () => {
    if (closed) return
    sent++
    sentAt = now()
    database
      .transactionAs({ role: 'hoplet_visits', statementTimeout: 2_000 }, (db) =>
        db.query(`select pg_notify('hoplet_names', $1)`, [payload()]),
      )
      // Not being heard says it all.
      .catch(() => {})
  }
  listener.on(
    'hoplet_names',
    (received) => {
      if (received === payload()) heardAt = sentAt
    },
    () => {
      heardAt = Number.NEGATIVE_INFINITY
      beat()
    },
  )
  const timer = setInterval(beat, every)
  timer.unref()
  return {
    isHeard: () => now() - heardAt < validFor,
    close() {
      closed = true
      clearInterval(timer)
    },
  }
}
