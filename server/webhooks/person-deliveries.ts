import type { WebhookDelivery, WebhookDeliveryDetail } from '#domain/webhooks.ts'
import type { QueryResultRow } from 'pg'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'

const pageSize = 25

const deliveryColumns = `e.id::text, e.message_id, e.type, e.state, e.attempts, e.created_at, e.last_attempt_at,
  case when e.state = 'waiting' then (select q.next_attempt_at from app.webhook_queues q
    where q.webhook_id = e.webhook_id and q.key = e.key and q.lease is null) end as next_attempt_at,
  e.status, e.duration_ms, e.error`

/** Queries of the deliveries of a person's own webhooks. Each query names the owner. */
export function createPersonDeliveries({ database }: { database: Database }) {
  const ask = <Row extends QueryResultRow>(text: string, ...values: unknown[]) =>
    queryAs<Row>(database, { role: 'hoplet_worker' }, text, values)

  return {
    /** Queues a test event. @returns its id; undefined when the webhook is off or too much waits */
    async test(owner: string, id: string): Promise<string | undefined> {
      const [row] = await ask<{ queued: string | null }>(
        `select app.queue_for_webhook(w.id, 'webhook.test', 'test', json_build_object('message', 'This is a test.'), 20000)::text as queued
          from app.webhooks w where w.user_id = $1 and w.id = $2 and w.is_enabled`,
        owner,
        id,
      )
      return row?.queued ?? undefined
    },
    /** A page of deliveries, newest first. @param before the id of the last one on the page before */
    async deliveries(owner: string, id: string, before: string | undefined) {
      const rows = await ask<WebhookDelivery & QueryResultRow>(
        `select ${deliveryColumns} from app.webhook_events e join app.webhooks w on w.id = e.webhook_id
          where w.user_id = $1 and w.id = $2 and e.id < $3 order by e.id desc limit $4`,
        owner,
        id,
        before ?? '9223372036854775807',
        pageSize + 1,
      )
      return { deliveries: rows.slice(0, pageSize), has_more: rows.length > pageSize }
    },
    async delivery(owner: string, id: string, delivery: string) {
      const [found] = await ask<WebhookDeliveryDetail & QueryResultRow>(
        `select ${deliveryColumns}, e.body, e.answer from app.webhook_events e join app.webhooks w on w.id = e.webhook_id
          where w.user_id = $1 and w.id = $2 and e.id = $3`,
        owner,
        id,
        delivery,
      )
      return found
    },
    /** Sends a delivery again, or now. @returns whether it will be */
    async sendAgain(owner: string, id: string, delivery: string): Promise<boolean> {
      const [row] = await ask<{ queued: string | null }>(
        `select app.resend_webhook_event(e.id)::text as queued from app.webhook_events e join app.webhooks w on w.id = e.webhook_id
          where w.user_id = $1 and w.id = $2 and e.id = $3`,
        owner,
        id,
        delivery,
      )
      return row?.queued != null
    },
  }
}
