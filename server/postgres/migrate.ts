import type pg from 'pg'
import type { Logger } from '../log.ts'
import { createPlainClient } from './client.ts'
import { applyCode, codeTable, databaseCode } from './code.ts'
import { areFormerMigrations, lastOfFormer, leaveFormerTables } from './former-migrations.ts'
import { sha256Hex } from '../primitives/sha256.ts'
import { ensureRoles } from './roles.ts'
import { withRetries } from '../primitives/with-retries.ts'
import { isRetryableConflict } from '../primitives/error-code.ts'

const files = import.meta.glob<string>('../../database/migrations/*.sql', {
  query: '?raw',
  import: 'default',
  eager: true,
})

export interface Migration {
  /** The file's name without its folder, for example `0007_links.sql`. */
  name: string
  sql: string
}

/** The migrations this build knows, oldest first. */
export const migrations: Migration[] = Object.entries(files)
  .map(([path, sql]) => ({ name: path.slice(path.lastIndexOf('/') + 1), sql }))
  .sort((a, b) => (a.name < b.name ? -1 : 1))

/** The schema cannot be migrated for this build; the message has advice for the operator. */
export class MigrationError extends Error {
  name = 'MigrationError'
}

/**
 * The last migration of the last release, 1.0.0. While servers are replaced one by one, that program may start on this schema
 * (test/operation/rolling-upgrade.test.ts). Change it after each release.
 */
export const lastRelease = '0018_leases.sql'

/**
 * Brings the database at `url` to this build's schema: forward only, each migration in a separate transaction, then the
 * database's code, under one advisory lock, so that any number of servers may start together. Refuses a changed migration
 * and a schema newer than this build, unless its migrations say that this build may run on it.
 *
 * @returns the names of the migrations applied now
 */
export async function migrate(
  url: string,
  log: Logger,
  known = migrations,
  code = databaseCode,
): Promise<string[]> {
  const client = createPlainClient(url, 'migration')
  client.on('error', (error) => log.warn({ err: error }, 'migration connection lost'))
  await client.connect()
  try {
    await ensureRoles(client)
    const applied: string[] = []
    for (;;) {
      const name = await applyNext(client, known)
      if (!name) break
      log.info({ migration: name }, 'migration applied')
      applied.push(name)
    }
    if (await replaceCode(client, known, code)) log.info('the code of the database was replaced')
    const accounts = await forgetUnknownZones(client)
    if (accounts > 0)
      log.warn({ accounts }, 'PostgreSQL does not know the time zone of accounts: now UTC')
    return applied
  } finally {
    await client.end()
  }
}

async function applyNext(client: pg.Client, known: Migration[]): Promise<string | undefined> {
  return inTransaction(client, async () => {
    const applied = await readApplied(client)
    if (areFormerMigrations(applied)) {
      await adopt(client, known)
      return lastOfFormer
    }
    const next = nextMigration(applied, known)
    if (next) await apply(client, next)
    return next?.name
  })
}

/** The former files made the same tables as the first of the present ones. */
async function adopt(client: pg.ClientBase, known: readonly Migration[]): Promise<void> {
  await leaveFormerTables(client)
  const applied = known.slice(0, countOfFormer(known))
  const { rows } = await client.query<{ at: Date }>(
    'select min(applied_at) as at from hoplet.migrations',
  )
  await client.query('delete from hoplet.migrations')
  for (const migration of applied) await note(client, migration)
  // By this moment servers know their database (read-url-check.ts).
  await client.query('update hoplet.migrations set applied_at = $1', [rows[0]?.at])
}

/** How many of the present migrations the former ones became. */
export function countOfFormer(known: readonly Migration[] = migrations): number {
  return known.findIndex(({ name }) => name === lastOfFormer) + 1
}

/** Its locks meet those of requests, in any order: a deadlock passes. */
function replaceCode(
  client: pg.Client,
  known: readonly Migration[],
  code: string,
): Promise<boolean> {
  return withRetries({ attempts: 5, mayRetry: isRetryableConflict }, () =>
    inTransaction(client, async () => {
      const applied = await readApplied(client)
      // A newer program's schema has the code of that program.
      return applied.length <= known.length && applyCode(client, known, code)
    }),
  )
}

/**
 * At each start: another PostgreSQL, or a backup from another machine, may not know all zones of accounts.
 *
 * @returns for how many accounts
 */
function forgetUnknownZones(client: pg.Client): Promise<number> {
  return withRetries({ attempts: 5, mayRetry: isRetryableConflict }, () =>
    inTransaction(client, async () => {
      const name = 'app.forget_unknown_time_zones()'
      // The code of an older program is without it.
      const found = await client.query('select where to_regprocedure($1) is not null', [name])
      if (found.rowCount === 0) return 0
      const { rows } = await client.query<{ accounts: number }>(`select ${name} as accounts`)
      return rows[0]?.accounts ?? 0
    }),
  )
}

async function inTransaction<Result>(
  client: pg.Client,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = '30s'`)
    await enter(client)
    const result = await work()
    // Running servers read their table door's catalog again.
    if (result) await client.query('notify hoplet_catalog')
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

async function readApplied(client: pg.ClientBase): Promise<AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    'select name, checksum, runs_with from hoplet.migrations order by name',
  )
  return rows
}

/** Locks out other servers, and makes the list of migrations. */
async function enter(client: pg.ClientBase): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(hashtextextended('hoplet.migrations', 0))`)
  await client.query('set local role hoplet_owner')
  await client.query('create schema if not exists hoplet')
  await client.query(`create table if not exists hoplet.migrations (
    name text primary key, checksum text not null, applied_at timestamptz not null default now())`)
  // Even a column that is there is added only after the end of a backup, which reads this table.
  const { rowCount } = await client.query(
    `select from pg_attribute where attrelid = 'hoplet.migrations'::regclass and attname = 'runs_with'`,
  )
  if (rowCount === 0) await client.query('alter table hoplet.migrations add column runs_with text')
  await client.query(codeTable)
}

async function apply(client: pg.ClientBase, migration: Migration): Promise<void> {
  await client.query(migration.sql)
  await note(client, migration)
}

async function note(client: pg.ClientBase, migration: Migration): Promise<void> {
  await client.query(
    'insert into hoplet.migrations (name, checksum, runs_with) values ($1, $2, $3)',
    [migration.name, migrationChecksum(migration), lastRelease],
  )
}

/**
 * Drops Hoplet's objects in the database and makes the tables again as the first `count` migrations do, in the transaction
 * of the caller, who goes on as the owner. For a restore; {@link ensureRoles} comes before it, {@link migrate} after it.
 */
export async function recreateSchema(
  client: pg.ClientBase,
  count: number,
  known = migrations,
): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(hashtextextended('hoplet.migrations', 0))`)
  await client.query('set local role hoplet_owner')
  await client.query('drop schema if exists api, app, auth, extensions, hoplet cascade')
  await enter(client)
  for (const migration of known.slice(0, count)) await apply(client, migration)
}

interface AppliedMigration {
  name: string
  checksum: string
  /** The last migration of the oldest program that runs on the schema with this one. */
  runs_with: string | null
}

function nextMigration(applied: AppliedMigration[], known: Migration[]): Migration | undefined {
  const own = known.at(-1)?.name ?? ''
  for (const [index, row] of applied.entries()) {
    const migration = known[index]
    if (!migration && row.runs_with !== null && row.runs_with <= own) continue
    if (!migration) {
      throw new MigrationError(
        `The database has migration ${row.name}, which this version of Hoplet does not know. ` +
          'It was set up by a newer version: start that version, or restore a backup.',
      )
    }
    if (migration.name !== row.name) {
      throw new MigrationError(
        `The database was set up by a version of Hoplet from before the first release (migration ${row.name}), ` +
          'which cannot be upgraded: start with an empty DATA_DIR or an empty database.',
      )
    }
    if (migrationChecksum(migration) !== row.checksum) {
      throw new MigrationError(
        `Migration ${row.name} was changed after it was applied. Restore the original file.`,
      )
    }
  }
  return known[applied.length]
}

/** As the database stores it, the same for every kind of line end. */
export function migrationChecksum({ sql }: Migration): string {
  return sha256Hex(sql.replaceAll('\r\n', '\n'))
}
