import {
  type ChangedCollation,
  changedCollations,
  collationAdvice,
} from '../postgres/collations.ts'
import { migrations } from '../postgres/migrate.ts'
import { onlyRowAs, queryAs } from '../postgres/rows.ts'
import { isSuperuser, superuserAdvice } from '../postgres/superuser.ts'
import { connectionsOf } from '../workers/shares.ts'
import { type DoctorDeps, type Finding, ok, okIf, problem, warning } from './finding.ts'
import { checkNotifications } from './notifications.ts'
import { checkReplica } from './replica.ts'

interface Facts {
  version: string
  nowMs: number
  sizeBytes: number
  maxConnections: number
  synchronousCommit: string
  fsync: string
  knowsLetters: boolean
}

const role = 'hoplet_worker'
const slowMs = 20
const maxClockDifferenceMs = 5_000

export async function checkDatabase(deps: DoctorDeps): Promise<Finding[]> {
  const { config, database } = deps
  const roundTripMs = await fastestMs(() => queryAs(database, { role, readOnly: true }, 'select'))
  const facts = await onlyRowAs<Facts>(
    database,
    { role, readOnly: true },
    `select current_setting('server_version') as version, extract(epoch from clock_timestamp())::float8 * 1000 as "nowMs",
      pg_database_size(current_database())::float8 as "sizeBytes", current_setting('max_connections')::int as "maxConnections",
      current_setting('synchronous_commit') as "synchronousCommit", current_setting('fsync') as fsync,
      lower('Ä') = 'ä' as "knowsLetters"`,
  )
  const { version, nowMs, sizeBytes, maxConnections } = facts
  const megabytes = Math.round(sizeBytes / 1024 ** 2)
  return [
    ok(
      `PostgreSQL ${version}${config.databaseUrl ? '' : ' (included)'} answers; the database has ${megabytes} MiB.`,
    ),
    await checkMigrations({ database }),
    okIf(
      roundTripMs < slowMs,
      `A transaction takes ${roundTripMs.toFixed(1)} ms.`,
      warning(
        `A transaction takes ${Math.round(roundTripMs)} ms. Run server and database in the same data center.`,
      ),
    ),
    checkClock(Date.now() - roundTripMs / 2 - nowMs),
    checkConnections(connectionsOf(config), maxConnections),
    okIf(
      facts.fsync === 'on',
      'The database survives a power failure (fsync).',
      problem('fsync is off: a power failure can destroy the database. Switch it on.'),
    ),
    okIf(
      facts.knowsLetters,
      'The database knows upper and lower case of all letters.',
      warning(
        'The database has LC_CTYPE C, so Ä and ä are two tags, and a backup with both cannot be restored elsewhere. ' +
          'Rename such tags, back up, make the database again with a UTF-8 locale (docs/database.md), and restore.',
      ),
    ),
    ...(await checkCollations({ database })),
    await checkNotifications(deps),
    ...(await checkRole(config.databaseUrl)),
    ...(await checkReplica(deps)),
  ]
}

async function checkCollations({ database }: Pick<DoctorDeps, 'database'>): Promise<Finding[]> {
  const changed = await queryAs<ChangedCollation>(
    database,
    { role, readOnly: true },
    changedCollations,
  )
  if (changed.length === 0) return [ok('Texts sort as they did when the database was made.')]
  return changed.map((each) => problem(`${sentence(collationAdvice(each))}.`))
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

async function checkRole(databaseUrl: string | undefined): Promise<Finding[]> {
  if (databaseUrl === undefined || !(await isSuperuser(databaseUrl))) return []
  return [warning(`${sentence(superuserAdvice)}.`)]
}

/** Fastest of five runs: the first one pays for the connection, others may meet a busy moment. */
async function fastestMs(work: () => Promise<unknown>): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 5; attempt++) {
    const startedAt = performance.now()
    await work()
    fastest = Math.min(fastest, performance.now() - startedAt)
  }
  return fastest
}

async function checkMigrations({ database }: Pick<DoctorDeps, 'database'>): Promise<Finding> {
  const applied = await queryAs<{ name: string }>(
    database,
    { role, readOnly: true },
    'select name from app.applied_migrations()',
  )
  const names = new Set(applied.map(({ name }) => name))
  const missing = migrations.filter(({ name }) => !names.has(name)).length
  return okIf(
    missing === 0,
    'All migrations are applied.',
    warning(`${missing} migrations are not applied. Restart the server with this version.`),
  )
}

function checkClock(aheadMs: number): Finding {
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1)
  return okIf(
    Math.abs(aheadMs) <= maxClockDifferenceMs,
    `The clocks differ by ${seconds} s.`,
    problem(
      `This machine's clock differs from the database's by ${seconds} s. Synchronize both (chrony, systemd-timesyncd).`,
    ),
  )
}

function checkConnections(needed: number, most: number): Finding {
  return okIf(
    needed <= most,
    `A server needs at most ${needed} of ${most} connections.`,
    problem(
      `A server may need ${needed} connections, and the database allows ${most}. ` +
        'Raise max_connections, lower DATABASE_POOL_SIZE or WORKERS, or put PgBouncer in between.',
    ),
  )
}
