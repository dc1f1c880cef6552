import type { Context } from '../context.ts'
import { counter, counterOf, type Family, gauge } from './families.ts'

/** Without CLICKHOUSE_URL, and in a worker, they have no values. All servers of one database report the same waiting hits. */
export async function clickhouseMetrics({ analytics }: Context): Promise<Family[]> {
  const status = await analytics.deliveries?.status()
  return [
    gauge(
      'hoplet_clickhouse_up',
      '1 if the last delivery to ClickHouse succeeded.',
      status && Number(status.isUp),
    ),
    counter(
      'hoplet_clickhouse_hits_total',
      'Hits this server delivered to ClickHouse.',
      status?.hits ?? [],
    ),
    counter(
      'hoplet_clickhouse_errors_total',
      'Deliveries to ClickHouse that failed.',
      status?.errors ?? [],
    ),
    gauge(
      'hoplet_clickhouse_waiting_hits',
      'Hits that are not in ClickHouse yet.',
      status?.waiting,
    ),
    gauge(
      'hoplet_clickhouse_oldest_waiting_seconds',
      'Age of the oldest hit that waits for ClickHouse; 0 when none does.',
      status?.oldestSeconds,
    ),
  ]
}

/** Asks the database: all servers of one database report the same outbox. */
export async function mailMetrics({ mail }: Context): Promise<Family[]> {
  const { waiting = 0, failed = 0, oldestWaitingSeconds = 0 } = (await mail.status()) ?? {}
  return [
    gauge('hoplet_outbox_emails', 'Emails that wait to be sent, or were given up.', [
      [{ state: 'waiting' }, waiting],
      [{ state: 'failed' }, failed],
    ]),
    gauge(
      'hoplet_outbox_oldest_waiting_seconds',
      'Age of the oldest email that waits; 0 when none does.',
      oldestWaitingSeconds ?? 0,
    ),
  ]
}

/** Reads waiting emails and events from the database: all servers of one database report the same. */
export async function webhookMetrics({ webhooks: { sender } }: Context): Promise<Family[]> {
  const counts = await sender.status()
  return [
    counterOf(
      'hoplet_webhook_attempts_total',
      "Attempts of this server to send an event to a person's webhook, by outcome.",
      ['outcome'],
      sender.outcomes,
    ),
    gauge('hoplet_webhook_waiting_events', 'Events that wait for a webhook.', counts?.waiting),
    gauge(
      'hoplet_webhook_oldest_waiting_seconds',
      'Age of the oldest event that waits for a webhook; 0 when none does.',
      counts?.oldestSeconds,
    ),
    gauge(
      'hoplet_webhooks_switched_off',
      'Webhooks that were switched off because their receiver failed or is gone.',
      counts?.disabled,
    ),
  ]
}

export function serviceMetrics({ ai, billing, mail, titles }: Context): Family[] {
  return [
    counterOf(
      'hoplet_emails_total',
      'Attempts of this server to send an email, by outcome.',
      ['outcome'],
      mail.outcomes,
    ),
    counterOf(
      'hoplet_webhooks_total',
      'Payment events received, by outcome.',
      ['outcome'],
      billing.webhooks,
    ),
    counterOf(
      'hoplet_payment_calls_total',
      'Calls to the payment provider, by outcome.',
      ['call', 'outcome'],
      billing.calls,
    ),
    counterOf(
      'hoplet_ai_calls_total',
      'AI generations asked for, by outcome.',
      ['task', 'outcome'],
      ai.calls,
    ),
    counterOf(
      'hoplet_title_fetches_total',
      'Pages of new links that were asked for their title, by outcome.',
      ['outcome'],
      titles.outcomes,
    ),
  ]
}

/** Asks the database: all servers of one database report the same last backup. */
export async function backupMetrics({ backups }: Context): Promise<Family[]> {
  const last = await backups.last()
  return [
    gauge(
      'hoplet_backup_last_success_timestamp_seconds',
      'When the last backup of the schedule was complete; 0 before the first one, absent without a schedule.',
      last?.succeededAt,
    ),
    gauge('hoplet_backup_bytes', 'Size of the last backup of the schedule.', last?.bytes),
    gauge('hoplet_backup_duration_seconds', 'Duration of that backup.', last?.seconds),
    counter(
      'hoplet_backup_failures_total',
      'Backups of the schedule that failed on this server.',
      backups.failures(),
    ),
  ]
}
