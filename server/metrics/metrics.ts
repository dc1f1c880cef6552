import { statfs } from 'node:fs/promises'
import type { Server } from 'node:http'
import { promisify } from 'node:util'
import { collectDefaultMetrics, Registry } from 'prom-client'
import manifest from '../../package.json' with { type: 'json' }
import type { Context } from '../context.ts'
import { withDeadline } from '../primitives/deadline.ts'
import { databaseMetrics } from './database-metrics.ts'
import { counter, counterOf, type Family, gauge, histogram } from './families.ts'
import {
  backupMetrics,
  clickhouseMetrics,
  mailMetrics,
  serviceMetrics,
  webhookMetrics,
} from './service-metrics.ts'
import { visitMetrics } from './visit-metrics.ts'

export interface MetricsDeps {
  context: Context
  /** The public one; undefined in a process without. */
  server?: Server
  /** The processes of this server; by default one that answers itself. */
  processes?: () => Processes
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
const parts: Record<string, (deps: MetricsDeps) => Family[] | Promise<Family[]>> = {
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
          return { part, families: await withDeadline(partTimeoutMs, async () => readPart(deps)) }
        } catch (error) {
          deps.context.log.warn({ err: error, part }, 'a part of the metrics could not be read')
          return { part, families: undefined }
        }
      }),
    )
    const health = gauge(
      'hoplet_metrics_part_read',
      'Whether this part of the metrics could be read (1) or is missing (0).',
      found.map(({ part, families }) => [{ part }, families !== undefined]),
      'min',
    )
    const defaults = (await ofProcess.getMetricsAsJSON()) as unknown as Family[]
    return [...found.flatMap(({ families }) => families ?? []), health, ...defaults]
  }
  return () => (running ??= read().finally(() => (running = undefined)))
}

async function requestMetrics({ context, server }: MetricsDeps): Promise<Family[]> {
  const { hasher, media, quotaRefusals, rateLimits, traffic, visits } = context
  const { statuses } = visits.measures()
  const requests = counterOf(
    'hoplet_http_requests_total',
    'Requests answered, by door and status class. none: refused before a door saw them.',
    ['door', 'status'],
    traffic.requests,
  )
  for (const [digit, count] of statuses.entries()) {
    if (digit > 0)
      requests.values.push({ labels: { door: 'visits', status: `${digit}xx` }, value: count })
  }
  return [
    requests,
    histogram(
      'hoplet_http_request_duration_seconds',
      'Time until the response began, by door. Visits have a histogram of their own.',
      [...traffic.durations()].map(([door, durations]) => [{ door }, durations.read()]),
    ),
    gauge(
      'hoplet_http_connections',
      'Open connections of clients.',
      server && (await promisify(server.getConnections.bind(server))()),
      'sum',
    ),
    counter(
      'hoplet_http_connections_refused_total',
      'Connections closed because their address had CONNECTIONS_PER_ADDRESS open.',
      traffic.refusedConnections(),
    ),
    counter(
      'hoplet_rate_limit_refusals_total',
      'How often a rate limit had nothing left, by its name.',
      [...rateLimits.refusals()].map(([limit, count]) => [{ limit }, count]),
    ),
    counter(
      'hoplet_quota_refusals_total',
      'Links, rows and uploads that a plan or a common limit did not allow.',
      [
        ...quotaRefusals
          .read()
          .map(({ words: [quota = ''], count }): [{ quota: string }, number] => [{ quota }, count]),
        [{ quota: 'uploads' }, media.refusedUploads()],
      ],
    ),
    gauge(
      'hoplet_password_hashes_waiting',
      'Passwords that are being hashed or wait for it.',
      hasher.pending(),
      'sum',
    ),
  ]
}

async function diskMetrics({ context: { config } }: MetricsDeps): Promise<Family[]> {
  const { bavail, blocks, bsize } = await statfs(config.dataDir)
  return [
    gauge('hoplet_data_disk_free_bytes', 'Free space on the disk of DATA_DIR.', bavail * bsize),
    gauge('hoplet_data_disk_size_bytes', 'Size of the disk of DATA_DIR.', blocks * bsize),
  ]
}

function buildMetrics({ context: { draining } }: MetricsDeps): Family[] {
  const labels = { version: manifest.version, node: process.versions.node }
  return [
    gauge('hoplet_build_info', 'Always 1; the labels say which version runs.', [[labels, 1]]),
    gauge('hoplet_draining', '1 while the server is going down and serves on.', draining),
  ]
}

function processMetrics({
  processes = () => ({ configured: 1, ready: 1, deaths: 0 }),
}: MetricsDeps): Family[] {
  const { configured, ready, deaths } = processes()
  return [
    gauge('hoplet_workers', 'Processes that share the port: WORKERS.', configured, 'first'),
    gauge('hoplet_workers_ready', 'Those of them that answer requests.', ready, 'first'),
    counter('hoplet_worker_deaths_total', 'Workers that died and were replaced.', deaths, 'first'),
  ]
}

function serverMetrics({ context }: MetricsDeps): Family[] {
  const { servers, disagreements } = context.peers.measures()
  return [
    gauge('hoplet_servers', 'Servers of this database that were seen lately.', servers),
    gauge(
      'hoplet_server_disagreements',
      'Machines whose servers differ from this one in what must be the same everywhere.',
      disagreements.map(({ about, count }) => [{ about }, count]),
    ),
  ]
}
