import { statfs } from 'node:fs/promises'
import type { Server } from 'node:http'
import { promisify } from 'node:util'
import { collectDefaultMetrics, Registry } from 'prom-client'
import manifest from '../../package.json' with { type: 'json' }
import type { Context } from '../context.ts'
import type { ReadableCounts } from '../primitives/counts.ts'
import { withDeadline } from '../primitives/deadline.ts'
import { databaseMetrics } from './database-metrics.ts'
import { familiesOf, type Family, familyOf, countsBy, type Readings } from './families.ts'
import { visitMetrics } from './visit-metrics.ts'

export interface MetricsDeps {
  context: Context
  /** The public one; undefined in a process without. */
  server?: Server
  /** The processes of this server; by default one that answers itself. */
  processes?: () => Processes
  /** Counted by the process with the admin port. */
  tlsAsks?: ReadableCounts
}

/** The processes that share the port. */
export interface Processes {
  configured: number
  ready: number
  deaths: number
}

export type ReadMetrics = ReturnType<typeof createMetrics>

/** For one part. Prometheus waits ten seconds for all of them. */
const partTimeoutMs = 2_000

/**
 * Every metric, by the part of the product that it is read from. The parts count for themselves and know nothing of
 * metrics; they are read when someone asks (decision 0091). Label values come from fixed sets.
 */
const parts: Record<string, (deps: MetricsDeps) => Readings | Promise<Readings>> = {
  requests: requestMetrics,
  visits: ({ context }) => visitMetrics(context),
  database: ({ context }) => databaseMetrics(context),
  clickhouse: ({ context }) => clickhouseMetrics(context),
  mail: ({ context }) => mailMetrics(context),
  webhooks: ({ context }) => webhookMetrics(context),
  services: ({ context }) => serviceMetrics(context),
  backups: ({ context }) => backupMetrics(context),
  disk: diskMetrics,
  build: buildMetrics,
  processes: processMetrics,
  servers: serverMetrics,
  certificates: ({ tlsAsks }) => ({
    hoplet_tls_asks_total: tlsAsks && countsBy(['answer'], tlsAsks),
  }),
}

/** Makes the function that reads all metrics of this process. Calls at the same time share one reading. */
export function createMetrics(deps: MetricsDeps): () => Promise<Family[]> {
  const ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess })
  let running: Promise<Family[]> | undefined

  const read = async (): Promise<Family[]> => {
    const found = await Promise.all(
      Object.entries(parts).map(async ([part, readPart]) => {
        try {
          const readings = await withDeadline(partTimeoutMs, async () => readPart(deps))
          return { part, families: familiesOf(readings) }
        } catch (error) {
          deps.context.log.warn({ err: error, part }, 'a part of the metrics could not be read')
          return { part, families: undefined }
        }
      }),
    )
    const health = familyOf(
      'hoplet_metrics_part_read',
      found.map(({ part, families }) => [{ part }, families !== undefined]),
    )
    const defaults = (await ofProcess.getMetricsAsJSON()) as unknown as Family[]
    return [...found.flatMap(({ families }) => families ?? []), health, ...defaults]
  }
  return () => (running ??= read().finally(() => (running = undefined)))
}

async function requestMetrics({ context, server }: MetricsDeps): Promise<Readings> {
  const { hasher, media, quotaRefusals, rateLimits, traffic, visits } = context
  const { statuses } = visits.measures()
  const visitStatuses = [...statuses.entries()]
    .filter(([digit]) => digit > 0)
    .map(([digit, count]): [Record<string, string>, number] => [
      { door: 'visits', status: `${digit}xx` },
      count,
    ])
  return {
    hoplet_http_requests_total: [
      ...countsBy(['door', 'status'], traffic.requests),
      ...visitStatuses,
    ],
    hoplet_http_request_duration_seconds: {
      histograms: [...traffic.durations()].map(([door, durations]) => [{ door }, durations.read()]),
    },
    hoplet_http_connections: server && (await promisify(server.getConnections.bind(server))()),
    hoplet_http_connections_refused_total: traffic.refusedConnections(),
    hoplet_rate_limit_refusals_total: [...rateLimits.refusals()].map(([limit, count]) => [
      { limit },
      count,
    ]),
    hoplet_quota_refusals_total: [
      ...countsBy(['quota'], quotaRefusals),
      [{ quota: 'uploads' }, media.refusedUploads()],
    ],
    hoplet_password_hashes_waiting: hasher.pending(),
  }
}

async function diskMetrics({ context: { config } }: MetricsDeps): Promise<Readings> {
  const { bavail, blocks, bsize } = await statfs(config.dataDir)
  return {
    hoplet_data_disk_free_bytes: bavail * bsize,
    hoplet_data_disk_size_bytes: blocks * bsize,
  }
}

function buildMetrics({ context: { draining } }: MetricsDeps): Readings {
  const labels = { version: manifest.version, node: process.versions.node }
  return { hoplet_build_info: [[labels, 1]], hoplet_draining: draining }
}

function processMetrics({
  processes = () => ({ configured: 1, ready: 1, deaths: 0 }),
}: MetricsDeps): Readings {
  const { configured, ready, deaths } = processes()
  return {
    hoplet_workers: configured,
    hoplet_workers_ready: ready,
    hoplet_worker_deaths_total: deaths,
  }
}

function serverMetrics({ context }: MetricsDeps): Readings {
  const { servers, disagreements } = context.peers.measures()
  return {
    hoplet_servers: servers,
    hoplet_server_disagreements: disagreements.map(({ about, count }) => [{ about }, count]),
  }
}

/** Without CLICKHOUSE_URL, and in a worker, they have no values. All servers of one database report the same waiting hits. */
async function clickhouseMetrics({ analytics }: Context): Promise<Readings> {
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
async function mailMetrics({ mail }: Context): Promise<Readings> {
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
async function webhookMetrics({ webhooks: { sender } }: Context): Promise<Readings> {
  const counts = await sender.status()
  return {
    hoplet_webhook_attempts_total: countsBy(['outcome'], sender.outcomes),
    hoplet_webhook_waiting_events: counts?.waiting,
    hoplet_webhook_oldest_waiting_seconds: counts?.oldestSeconds,
    hoplet_webhooks_switched_off: counts?.disabled,
  }
}

function serviceMetrics({ ai, billing, mail, titles }: Context): Readings {
  return {
    hoplet_emails_total: countsBy(['outcome'], mail.outcomes),
    hoplet_webhooks_total: countsBy(['outcome'], billing.webhooks),
    hoplet_payment_calls_total: countsBy(['call', 'outcome'], billing.calls),
    hoplet_ai_calls_total: countsBy(['task', 'outcome'], ai.calls),
    hoplet_title_fetches_total: countsBy(['outcome'], titles.outcomes),
  }
}

/** Asks the database: all servers of one database report the same last backup. */
async function backupMetrics({ backups }: Context): Promise<Readings> {
  const last = await backups.last()
  return {
    hoplet_backup_last_success_timestamp_seconds: last?.succeededAt,
    hoplet_backup_bytes: last?.bytes,
    hoplet_backup_duration_seconds: last?.seconds,
    hoplet_backup_failures_total: backups.failures(),
  }
}
