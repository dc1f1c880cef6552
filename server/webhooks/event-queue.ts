import type { WebhookProvider } from '#domain/webhooks.ts'
import type { QueryResultRow } from 'pg'
import { enqueueMail } from '../mail/outbox.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import type { PostResult } from './post.ts'
import type { AttemptVerdict } from './retry.ts'

/** An event that this process must send before its lease ends. */
export interface LeasedEvent extends Record<string, unknown> {
  event: string
  lease: string
  message_id: string
  type: string
  body: string
  /** Including this one. */
  attempts: number
  /** Since the first attempt began. */
  elapsed_seconds: number
  url: string
  secret: string
  /** Only while it still signs. */
  previous_secret: string | null
  provider: WebhookProvider | null
  list: string | null
}

const worker = { role: 'hoplet_worker' } as const

/** The outbox of webhooks for several processes at once (database/code/19_webhooks.sql): short transactions, never one around sending. */
export function createEventQueue(database: Database, leaseSeconds: number) {
  const ask = <Row extends QueryResultRow>(text: string, ...values: unknown[]) =>
    queryAs<Row>(database, worker, text, values)
  return {
    /** The webhooks that something is due for, and their accounts. */
    due: () =>
      ask<{ webhook: string; account: string }>(
        `select w.id as webhook, w.user_id as account from (select distinct d.webhook_id from app.webhook_queues d where d.next_attempt_at <= now()) q
          join app.webhooks w on w.id = q.webhook_id where coalesce(w.paused_until, '-infinity') <= now()`,
      ),
    async claim(webhook: string): Promise<LeasedEvent | undefined> {
      const [row] = await ask<LeasedEvent>(
        'select * from app.claim_webhook_event($1, $2)',
        webhook,
        leaseSeconds,
      )
      return row
    },
    /** Stores the result of an attempt. @returns whether the webhook was switched off */
    finish: (
      { event, lease }: LeasedEvent,
      verdict: AttemptVerdict,
      result: PostResult,
      durationMs: number,
    ): Promise<boolean> =>
      database.transactionAs(worker, async (db) => {
        const { pauseSeconds, holdSeconds } =
          verdict.outcome === 'retry' ? verdict : { pauseSeconds: 0, holdSeconds: 0 }
        const { status, answer, error } = { ...noAnswer, ...result }
        const { rows } = await db.query<{ user_id: string; email: string; url: string }>(
          'select * from app.finish_webhook_event($1, $2, $3, $4, $5, $6, $7, $8, $9)',
          [
            event,
            lease,
            verdict.outcome,
            pauseSeconds,
            holdSeconds,
            status,
            answer && storable(answer),
            error,
            Math.round(durationMs),
          ],
        )
        // Not at each event, which would read all of them each time.
        await db.query(
          'select app.trim_webhook_events(e.webhook_id) from app.webhook_events e where e.id = $1 and random() < 0.02',
          [event],
        )
        for (const { email, url } of rows)
          await enqueueMail(db, {
            key: `webhook-disabled:${event}:${lease}`,
            template: 'webhook-disabled',
            recipient: email,
            data: { host: new URL(url).host, isGone: verdict.outcome === 'gone' },
          })
        return rows.length > 0
      }),
    /** Makes events of the clicks that were noted. */
    queueClicks: (intervalSeconds: number) =>
      ask('select app.queue_webhook_clicks($1)', intervalSeconds),
    /** Waiting events of all servers; the age is 0 when nothing does. */
    async counts() {
      const [row] = await ask<{ waiting: number; oldestSeconds: number; disabled: number }>(
        `select count(*)::int as waiting,
            coalesce(extract(epoch from now() - min(e.created_at)), 0)::int as "oldestSeconds",
            (select count(*) from app.webhooks w where w.disabled_reason in ('failing', 'gone'))::int as disabled
          from app.webhook_events e where e.state = 'waiting'`,
      )
      return row
    },
  }
}

const noAnswer = { status: null, answer: null, error: null }

/** PostgreSQL has no NUL in texts. */
function storable(text: string): string {
  return text.slice(0, 1_024).replaceAll(/[\0\p{Cs}]/gu, ' ')
}
