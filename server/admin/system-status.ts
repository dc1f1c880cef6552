import { statfs } from 'node:fs/promises'
import type { StatusCard } from '#domain/status-cards.ts'
import manifest from '../../package.json' with { type: 'json' }
import type { Context } from '../context.ts'
import { DatabaseUnavailableError } from '../postgres/database.ts'
import { migrations } from '../postgres/migrate.ts'
import type { Role } from '../postgres/roles.ts'
import { queryAs } from '../postgres/rows.ts'
import { errorCode } from '../primitives/error-code.ts'

type StatusDeps = Pick<Context, 'config' | 'database' | 'mail' | 'visits' | 'log'>

/** `problem`: needs the operator's attention. */
type Facts = { [fact: string]: unknown; problem?: string | false }

const statementTimeout = 2_000
const lagAlarmSeconds = 60
const diskAlarmBytes = 512 * 1024 ** 2
const outboxAlarmSeconds = 15 * 60

/** How each card of /admin/system is read. */
const cards: Record<StatusCard, (deps: StatusDeps) => Promise<Facts>> = {
  database: (deps) =>
    readRow(
      deps,
      'hoplet_worker',
      `select pg_database_size(current_database())::float8 as "sizeBytes",
        (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
        current_setting('max_connections')::int as "maxConnections",
        extract(epoch from now() - pg_postmaster_start_time())::int as "upSeconds"`,
    ),
  migrations: readMigrations,
  clicks: readClicks,
  async outbox({ mail }) {
    const counts = await mail.status()
    const isLate = Number(counts?.oldestWaitingSeconds) > outboxAlarmSeconds
    return { ...counts, problem: isLate && 'Mail waits for the mail server' }
  },
  webhooks: (deps) =>
    readRow(
      deps,
      'hoplet_billing',
      `select coalesce(max(received_at), (select max(received_at) from app.billing_events)) as "lastReceivedAt",
        count(*)::int as "events24h", count(*) filter (where source = 'reconcile')::int as "foundByReconcile24h",
        coalesce(max(extract(epoch from received_at - created_at)) filter (where source = 'webhook'), 0)::int as "longestLagSeconds24h"
      from app.billing_events where received_at > now() - interval '24 hours'`,
    ),
  async reconcile(deps) {
    const {
      finishedAt = null,
      voidedPlans,
      ...facts
    } = await readRow(
      deps,
      'hoplet_billing',
      `select provider, finished_at as "finishedAt", read_until as "readUntil", drift, error as problem,
        (select nullif(count(*)::int, 0) from app.billing_customers where voided_plan is not null) as "voidedPlans"
      from app.billing_reconciles order by finished_at desc nulls last limit 1`,
    )
    return { ...facts, finishedAt, ...(voidedPlans !== null && { voidedPlans }) }
  },
  async disk({ config }) {
    const { bavail, blocks, bsize } = await statfs(config.dataDir)
    const freeBytes = bavail * bsize
    const problem = freeBytes < diskAlarmBytes && 'The disk of DATA_DIR is nearly full'
    return { freeBytes, totalBytes: blocks * bsize, problem }
  },
  async versions(deps) {
    const facts = await readRow(
      deps,
      'hoplet_worker',
      `select current_setting('server_version') as postgres`,
    )
    return { hoplet: manifest.version, node: process.versions.node, ...facts }
  },
}

type Part = { [fact: string]: unknown } & ({ ok: true } | { ok: false; error: string })

/**
 * The page /admin/system, card by card: `ok` says whether it could be read and needs no attention. Each is read
 * on its own, so that a broken one never hides the others.
 */
export async function readStatus(deps: StatusDeps): Promise<Record<string, unknown>> {
  const read = await Promise.all(
    Object.entries(cards).map(async ([card, readCard]): Promise<[string, Part]> => {
      try {
        const { problem, ...facts } = await readCard(deps)
        return [card, problem ? { ...facts, ok: false, error: problem } : { ...facts, ok: true }]
      } catch (error) {
        deps.log.warn({ err: error, part: card }, 'a part of the system status could not be read')
        return [card, { ok: false, error: wordsFor(error) }]
      }
    }),
  )
  return { checkedAt: new Date().toISOString(), ...Object.fromEntries(read) }
}

/** The first row; no facts without one. */
async function readRow({ database }: StatusDeps, role: Role, text: string): Promise<Facts> {
  const [row] = await queryAs<Facts>(database, { role, readOnly: true, statementTimeout }, text)
  return row ?? {}
}

async function readMigrations({ database }: StatusDeps): Promise<Facts> {
  const rows = await queryAs<{ name: string; applied_at: Date }>(
    database,
    { role: 'hoplet_worker', readOnly: true, statementTimeout },
    'select name, applied_at from app.applied_migrations()',
  )
  const applied = new Set(rows.map(({ name }) => name))
  const pending = migrations.map(({ name }) => name).filter((name) => !applied.has(name))
  const last = rows.at(-1)
  return {
    applied: rows.length,
    pending,
    last: last?.name,
    lastAppliedAt: last?.applied_at,
    problem: pending.length > 0 && 'Some migrations are not applied',
  }
}

async function readClicks({ visits }: StatusDeps): Promise<Facts> {
  const { clicks, entries, databaseDown } = visits.status()
  const { reserve, adopted: _, ...facts } = clicks
  const lag = visits.lag()
  const isLate = (lag?.oldestWaitingSeconds ?? 0) > lagAlarmSeconds
  return {
    ...facts,
    ...lag,
    entries,
    databaseDown,
    problem: clicks.degraded
      ? 'The click journal cannot be written'
      : reserve.missing > 0
        ? 'The disk has no room: clicks go into the reserve'
        : isLate && 'Clicks wait for the database',
  }
}

/** Addresses and queries stay in the log; the page gets a sentence. */
function wordsFor(error: unknown): string {
  if (error instanceof DatabaseUnavailableError) return 'The database does not answer'
  const code = errorCode(error)
  return `This could not be read${code === undefined ? '' : ` (${code})`}`
}
