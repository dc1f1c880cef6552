import type { WebhookDelivery } from '#domain/webhooks.ts'
import { momentOf } from '#web/ui/time-words.ts'

/** Result of a delivery, in one line. */
export function DeliveryState({ delivery }: { delivery: WebhookDelivery }) {
  const { state, status, error, attempts, duration_ms: ms, next_attempt_at: next } = delivery
  const last = error ?? (status === null ? null : `answered ${status}`)
  return (
    <p>
      {state === 'delivered' ? <span className="font-medium text-good">Delivered</span> : null}
      {state === 'failed' ? <span className="font-medium text-danger">Not delivered</span> : null}
      {state === 'waiting' ? <span className="font-medium">Waiting</span> : null}
      {last === null ? null : `, ${last}`}
      {ms === null ? null : `, ${ms} ms`}
      {attempts > 1 ? `, ${attempts} attempts` : null}
      {state === 'waiting' && attempts > 0 && next !== null ? `, next on ${momentOf(next)}` : null}
    </p>
  )
}
