import type { QueryResultRow } from 'pg'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'

/** An email that this process must send before its lease ends. */
export interface LeasedEmail {
  id: string
  template: string
  recipient: string
  data: unknown
  created_at: Date
  /** Including this one. */
  attempts: number
}

/** Claim timeout: afterwards another process may send the email. */
const leaseSeconds = 60
/** About four days: retries after 2.7 s, 7.4 s, 20 s … up to six hours. */
export const maxAttempts = 24

/** The outbox for several processes at once: short transactions, never one around sending. */
export function createQueue(database: Database) {
  const ask = <Row extends QueryResultRow>(text: string, ...values: unknown[]) =>
    queryAs<Row>(database, { role: 'hoplet_worker' }, text, values)
  return {
    async claim(): Promise<LeasedEmail | undefined> {
      // A lease is a next attempt in the future without an error.
      const [row] = await ask<LeasedEmail>(
        `update app.mail_outbox set attempts = attempts + 1, last_error = null,
            next_attempt_at = now() + make_interval(secs => $1)
          where id = (select id from app.mail_outbox
            where sent_at is null and failed_at is null and next_attempt_at <= now()
            order by next_attempt_at limit 1 for update skip locked)
          returning id, template, recipient, data, created_at, attempts`,
        leaseSeconds,
      )
      return row
    },
    /** Clears the data, which may contain a one-time link. */
    markSent: (id: string) =>
      ask(
        `update app.mail_outbox set sent_at = now(), data = '{}', last_error = null where id = $1`,
        id,
      ),
    markGivenUp: (id: string, reason: string) =>
      ask(
        `update app.mail_outbox set failed_at = now(), data = '{}', last_error = left($2, 500)
          where id = $1 and sent_at is null`,
        id,
        reason,
      ),
    markFailed: ({ id, attempts }: LeasedEmail, reason: string) =>
      ask(
        `update app.mail_outbox set next_attempt_at = now() + make_interval(secs => exp(least(10, $3::float8))),
            last_error = left($2, 500)
          where id = $1 and sent_at is null`,
        id,
        reason,
        attempts,
      ),
    /** The mail server failed, not this email: it keeps its attempts and is due at once, behind the others. */
    markDelayed: (id: string, reason: string) =>
      ask(
        `update app.mail_outbox set attempts = attempts - 1, next_attempt_at = now(), last_error = left($2, 500)
          where id = $1 and sent_at is null`,
        id,
        reason,
      ),
    /** Unsent emails; `oldestWaitingSeconds` is null when nothing waits. */
    async counts() {
      const [row] = await ask<{
        waiting: number
        failed: number
        oldestWaitingSeconds: number | null
      }>(
        `select count(*) filter (where failed_at is null)::int as waiting, count(failed_at)::int as failed,
            extract(epoch from now() - min(created_at) filter (where failed_at is null))::int as "oldestWaitingSeconds"
          from app.mail_outbox where sent_at is null`,
      )
      return row
    },
  }
}
