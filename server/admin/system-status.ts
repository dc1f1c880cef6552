import { statfs } from 'node:fs/promises'
import type { StatusCard } from '#domain/status-cards.ts'
import manifest from '../../package.json' with { type: 'json' }
import type { Context } from '../context.ts'
import { DatabaseUnavailableError, type Transaction } from '../postgres/database.ts'
import { migrations } from '../postgres/migrate.ts'
import type { Role } from '../postgres/roles.ts'

type Part = { [fact: string]: unknown } & ({ ok: true } | { ok: false; error: string })

/** The page /admin/system, part by part: `ok` says whether the part could be read and nobody has to look after it. */
export type SystemStatus = { checkedAt: string } & Record<StatusCard, Part>

const statementTimeout = 2_000
const lagAlarm = 60
const diskAlarm = 512 * 1024 ** 2
const outboxAlarm = 15 * 60

/** Asks every part on its own, so that a broken one never hides the others. */
export async function readStatus(
  context: Pick<Context, 'config' | 'database' | 'visits' | 'log'>,
): Promise<SystemStatus> {
  const part = async (name: string, read: () => Promise<Part>): Promise<Part> => {
    try {
      return await read()
    } catch (error) {
      context.log.warn({ err: error, part: name }, 'a part of the system status could not be read')
      return { ok: false, error: wordsFor(error) }
    }
  }
  const as =
    (role: Role, read: (db: Transaction) => Promise<Part>): (() => Promise<Part>) =>
    () =>
      context.database.transactionAs({ role, readOnly: true, statementTimeout }, read)

  const [database, migrated, clicks, outbox, webhooks, reconcile, disk, versions] =
    await Promise.all([
      part('database', as('hoplet_worker', readDatabase)),
      part('migrations', as('hoplet_worker', readMigrations)),
      part('clicks', async () => readClicks(context)),
      part('outbox', as('hoplet_worker', readOutbox)),
      part('webhooks', as('hoplet_billing', readWebhooks)),
      part('reconcile', as('hoplet_billing', readReconcile)),
      part('disk', () => readDisk(context.config.dataDir)),
      part('versions', as('hoplet_worker', readVersions)),
    ])
  const checkedAt = new Date().toISOString()
  return {
    checkedAt,
    database,
    migrations: migrated,
    clicks,
    outbox,
    webhooks,
    reconcile,
    disk,
    versions,
  }
}

/** The one row of a query without a table, or of aggregates. */
async function one(db: Transaction, text: string): Promise<Record<string, unknown>> {
  const { rows } = await db.query<Record<string, unknown>>(text)
  return rows[0] ?? {}
}

async function readDatabase(db: Transaction): Promise<Part> {
  const facts = await one(
    db,
    `select pg_database_size(current_database())::float8 as "sizeBytes",
      (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
      current_setting('max_connections')::int as "maxConnections",
      extract(epoch from now() - pg_postmaster_start_time())::int as "upSeconds"`,
  )
  return { ok: true, ...facts }
}

async function readMigrations(db: Transaction): Promise<Part> {
  const { rows } = await db.query<{ name: string; applied_at: Date }>(
    'select name, applied_at from app.applied_migrations()',
  )
  const applied = new Set(rows.map(({ name }) => name))
  const pending = migrations.map(({ name }) => name).filter((name) => !applied.has(name))
  const last = rows.at(-1)
  const facts = { applied: rows.length, pending, last: last?.name, lastAppliedAt: last?.applied_at }
  return pending.length === 0
    ? { ok: true, ...facts }
    : { ...facts, ok: false, error: 'Some migrations are not applied' }
}

function readClicks({ visits }: Pick<Context, 'visits'>): Part {
  const { clicks, entries, databaseDown } = visits.status()
  const facts = { ...clicks, ...visits.lag(), entries, databaseDown }
  const late = (visits.lag()?.oldestWaitingSeconds ?? 0) > lagAlarm
  if (clicks.degraded) return { ...facts, ok: false, error: 'The click journal cannot be written' }
  return late
    ? { ...facts, ok: false, error: 'Clicks wait for the database' }
    : { ok: true, ...facts }
}

async function readOutbox(db: Transaction): Promise<Part> {
  const facts = await one(
    db,
    `select count(*) filter (where failed_at is null)::int as waiting, count(failed_at)::int as failed,
      extract(epoch from now() - min(created_at) filter (where failed_at is null))::int as "oldestWaitingSeconds"
    from app.mail_outbox where sent_at is null`,
  )
  const late = Number(facts.oldestWaitingSeconds ?? 0) > outboxAlarm
  if (late) return { ...facts, ok: false, error: 'Mail waits for the mail server' }
  return { ok: true, ...facts }
}

async function readWebhooks(db: Transaction): Promise<Part> {
  const facts = await one(
    db,
    `select max(received_at) as "lastReceivedAt", count(*)::int as "events24h",
      count(*) filter (where source = 'reconcile')::int as "foundByReconcile24h",
      coalesce(max(extract(epoch from received_at - created_at)) filter (where source = 'webhook'), 0)::int as "longestLagSeconds24h"
    from app.billing_events where received_at > now() - interval '24 hours'`,
  )
  if (facts.lastReceivedAt === null) {
    // Quiet for a day: the newest of all, by its index.
    Object.assign(
      facts,
      await one(db, `select max(received_at) as "lastReceivedAt" from app.billing_events`),
    )
  }
  return { ok: true, ...facts }
}

async function readReconcile(db: Transaction): Promise<Part> {
  const { rows } = await db.query<{ error: string | null; voidedPlans: number | null }>(
    `select provider, finished_at as "finishedAt", read_until as "readUntil", drift, error,
      (select nullif(count(*)::int, 0) from app.billing_customers where voided_plan is not null) as "voidedPlans"
    from app.billing_reconciles order by finished_at desc nulls last limit 1`,
  )
  const [last] = rows
  if (!last) return { ok: true, finishedAt: null }
  const { error, voidedPlans, ...facts } = last
  if (voidedPlans !== null) Object.assign(facts, { voidedPlans })
  return error === null ? { ...facts, ok: true } : { ...facts, ok: false, error }
}

async function readDisk(folder: string): Promise<Part> {
  const { bavail, blocks, bsize } = await statfs(folder)
  const facts = { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  return facts.freeBytes < diskAlarm
    ? { ...facts, ok: false, error: 'The disk of DATA_DIR is nearly full' }
    : { ok: true, ...facts }
}

async function readVersions(db: Transaction): Promise<Part> {
  const { postgres } = await one(db, `select current_setting('server_version') as postgres`)
  return { ok: true, hoplet: manifest.version, node: process.versions.node, postgres }
}

/** Addresses and queries stay in the log; the page gets a sentence. */
function wordsFor(error: unknown): string {
  if (error instanceof DatabaseUnavailableError) return 'The database does not answer'
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
  return `This could not be read${code}`
}
