import type { Webhook } from '#domain/webhooks.ts'
import { momentOf } from '#web/ui/time-words.ts'

const offWords = {
  person: 'Off.',
  failing: 'Switched off: the receiver accepted nothing for three days.',
  gone: 'Switched off: the receiver answered that it is gone (410).',
}
/** The server counts no further. */
const maxCounted = 1_000

/** Whether a webhook is on, and its problem. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { disabled_reason: reason, paused_until: pausedUntil, waiting, dropped } = webhook
  return (
    <p>
      {reason === null ? (
        <span className="font-medium text-good">On. </span>
      ) : (
        <span className={reason === 'person' ? '' : 'font-medium text-danger'}>
          {offWords[reason]}{' '}
        </span>
      )}
      {waiting === 0 ? null : `${waiting >= maxCounted ? 'Over 1,000' : waiting} waiting. `}
      {pausedUntil === null
        ? null
        : `The receiver asked us to wait until ${momentOf(pausedUntil)}. `}
      {dropped === 0 || webhook.dropped_at === null
        ? null
        : `${dropped} left out because too many waited, last on ${momentOf(webhook.dropped_at)}.`}
    </p>
  )
}
