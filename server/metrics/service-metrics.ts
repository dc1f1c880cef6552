import type { Context } from '../context.ts'
import { countsBy, type Readings } from './families.ts'

/** Without CLICKHOUSE_URL, and in a worker, they have no values. All servers of one database report the same waiting hits. */
export async function clickhouseMetrics({ analytics }: Context): Promise<Readings> {
  const status = await analytics.deliveries?.status()
  return {
    hoplet_clickhouse_up: status?.isUp,
    hoplet_clickhouse_hits_total: status?.hits,
    hoplet_clickhouse_errors_total: status?.errors,
    hoplet_clickhouse_waiting_hits: status?.waiting,
    hoplet_clickhouse_oldest_waiting_seconds: status?.oldestSeconds,
  }
}

/** Asks the database: all servers of one database report the same outbox. */
export async function mailMetrics({ mail }: Context): Promise<Readings> {
  const { waiting = 0, failed = 0, oldestWaitingSeconds = 0 } = (await mail.status()) ?? {}
  return {
    hoplet_outbox_emails: [
      [{ state: 'waiting' }, waiting],
      [{ state: 'failed' }, failed],
    ],
    hoplet_outbox_oldest_waiting_seconds: oldestWaitingSeconds ?? 0,
  }
}

/** Reads waiting emails and events from the database: all servers of one database report the same. */
export async function webhookMetrics({ webhooks: { sender } }: Context): Promise<Readings> {
  const counts = await sender.status()
  return {
    hoplet_webhook_attempts_total: countsBy(['outcome'], sender.outcomes),
    hoplet_webhook_waiting_events: counts?.waiting,
    hoplet_webhook_oldest_waiting_seconds: counts?.oldestSeconds,
    hoplet_webhooks_switched_off: counts?.disabled,
  }
}

export function serviceMetrics({ ai, billing, mail, titles }: Context): Readings {
  return {
    hoplet_emails_total: countsBy(['outcome'], mail.outcomes),
    hoplet_webhooks_total: countsBy(['outcome'], billing.webhooks),
    hoplet_payment_calls_total: countsBy(['call', 'outcome'], billing.calls),
    hoplet_ai_calls_total: countsBy(['task', 'outcome'], ai.calls),
    hoplet_title_fetches_total: countsBy(['outcome'], titles.outcomes),
  }
}

/** Asks the database: all servers of one database report the same last backup. */
export async function backupMetrics({ backups }: Context): Promise<Readings> {
  const last = await backups.last()
  return {
    hoplet_backup_last_success_timestamp_seconds: last?.succeededAt,
    hoplet_backup_bytes: last?.bytes,
    hoplet_backup_duration_seconds: last?.seconds,
    hoplet_backup_failures_total: backups.failures(),
  }
}
