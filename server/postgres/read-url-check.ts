import pg from 'pg'
import type { Logger } from '../log.ts'
import { createPlainClient } from './client.ts'
import { ifError, toError } from '../primitives/caught-error.ts'

interface ServerFacts {
  database: string
  inRecovery: boolean
  startedAt: string
  /** Undefined where it may not be asked. */
  systemIdentifier: string | undefined
  /** When the first migration was applied, to the microsecond: a row that only this database has. */
  installedAt: string | undefined
}

const connectTimeoutMs = 3_000

/**
 * Problems of DATABASE_READ_URL, each with the line to change. A server that cannot be reached is no problem: it is
 * not used until it answers.
 */
export async function checkReadUrl(
  urls: { databaseUrl: string; readUrl: string },
  log: Logger,
): Promise<string[]> {
  const [primary, replica] = await Promise.all([factsOf(urls.databaseUrl), factsOf(urls.readUrl)])
  if (replica instanceof Error) {
    log.warn(
      { reason: replica.message },
      'DATABASE_READ_URL does not answer: reads go to the primary until it does',
    )
    return []
  }
  if (primary instanceof Error) return []
  return problemsOf(primary, replica).map((problem) => `DATABASE_READ_URL: ${problem}`)
}

function problemsOf(primary: ServerFacts, replica: ServerFacts): string[] {
  if (primary.database !== replica.database)
    return [`must name the database ${primary.database}, as DATABASE_URL does`]
  if (differ(primary.systemIdentifier, replica.systemIdentifier))
    return ['leads to a server that is no replica of that of DATABASE_URL; correct or remove it']
  if (differ(primary.installedAt, replica.installedAt))
    return ['leads to another Hoplet database than DATABASE_URL; correct or remove it']
  if (!replica.inRecovery && replica.startedAt !== primary.startedAt)
    return [
      'leads to a primary of its own (a copy, or a former primary), which gets no changes; correct or remove it',
    ]
  return []
}

const differ = (a: string | undefined, b: string | undefined) =>
  a !== undefined && b !== undefined && a !== b

async function factsOf(url: string): Promise<ServerFacts | Error> {
  const client = createPlainClient(url, 'start', {
    connectTimeoutMs,
    queryTimeoutMs: connectTimeoutMs,
  })
  const ask = async (column: string, sql: string): Promise<string | undefined> => {
    const found = await client
      .query<Record<string, string>>(sql)
      .catch(ifError(pg.DatabaseError, () => undefined))
    return found?.rows[0]?.[column]
  }
  try {
    await client.connect()
    const { rows } = await client.query<Omit<ServerFacts, 'systemIdentifier' | 'installedAt'>>(
      `select current_database() as database, pg_is_in_recovery() as "inRecovery",
        extract(epoch from pg_postmaster_start_time())::text as "startedAt"`,
    )
    const [facts] = rows
    if (!facts) return new Error('it answers nothing')
    const systemIdentifier = await ask(
      'id',
      'select system_identifier::text as id from pg_control_system()',
    )
    await ask('', 'set role hoplet_worker')
    const installedAt = await ask(
      'at',
      'select min(extract(epoch from applied_at))::text as at from app.applied_migrations()',
    )
    return { ...facts, systemIdentifier, installedAt: installedAt ?? undefined }
  } catch (error) {
    return toError(error)
  } finally {
    // Not awaited: for a connection that was never established it may not settle.
    void client.end().catch(() => {})
  }
}
