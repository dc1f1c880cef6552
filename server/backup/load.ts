import { once } from 'node:events'
import type pg from 'pg'
import { createPlainClient } from '../postgres/client.ts'
import { from as copyFrom } from 'pg-copy-streams'
import type { Logger } from '../log.ts'
import { areFormerMigrations, makeFormerTables } from '../postgres/former-migrations.ts'
import { countOfFormer, recreateSchema } from '../postgres/migrate.ts'
import { ensureRoles } from '../postgres/roles.ts'
import { BackupError } from './backup-error.ts'
import type { Contents, Manifest } from './manifest.ts'
import type { Entry } from './tar.ts'
import { listTables, sumTable, type Table, textSettings } from './tables.ts'
import { orThrow } from '../primitives/or-throw.ts'

export interface LoadOptions {
  databaseUrl: string
  /** Result of an earlier reading of the same backup. */
  manifest: Manifest
  contents: Contents
  /** From the beginning. */
  entries: AsyncIterable<Entry>
  /** The operator allows to replace the contents of the database. */
  replaces: boolean
  log: Logger
}

/**
 * Replaces Hoplet's rows in a database by the rows of a backup, at the schema that the backup was made with, and compares the sum
 * of each table with the backup. All of it is one transaction: when anything fails, the database is unchanged.
 *
 * @throws {BackupError} also when the database is in use, or has accounts and `replaces` is false
 */
export async function loadTables(options: LoadOptions): Promise<void> {
  const client = createPlainClient(options.databaseUrl, 'restore')
  await client.connect()
  try {
    await requireFree(client, options.replaces)
    await ensureRoles(client)
    await client.query(`begin; ${textSettings}; set local lock_timeout = '30s'`)
    try {
      await load(client, options)
      await client.query('commit')
    } catch (error) {
      await client.query('rollback').catch(() => {})
      throw error
    }
  } finally {
    await client.end().catch(() => {})
  }
}

/** @throws {BackupError} when servers use the database, or it has accounts that the operator may want to keep */
async function requireFree(client: pg.Client, replaces: boolean): Promise<void> {
  const { rows } = await client.query<{ database: string; servers: number; used: boolean }>(`
    select current_database() as database, exists (select from pg_namespace where nspname = 'auth') as used,
      (select count(*)::int from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and application_name like 'hoplet%' and application_name <> 'hoplet backup') as servers`)
  const { database = '', servers = 0, used = false } = rows[0] ?? {}
  if (servers > 0)
    throw new BackupError(
      `Hoplet is running on the database ${database} (${servers} connections). Stop all its servers first.`,
    )
  if (replaces || !used) return
  await client.query('begin')
  await client.query('set local role hoplet_owner')
  const { rows: found } = await client.query<{ accounts: string; links: string }>(
    'select (select count(*) from auth.users) as accounts, (select count(*) from app.shortened_urls) as links',
  )
  await client.query('rollback')
  const { accounts = '0', links = '0' } = found[0] ?? {}
  if (accounts !== '0' || links !== '0')
    throw new BackupError(
      `The database ${database} has ${accounts} accounts and ${links} links, which a restore would delete. ` +
        `To replace them, add --replace=${database}`,
    )
}

/** @returns the option that allows to replace the existing rows */
export async function nameOfDatabase(databaseUrl: string): Promise<string> {
  const client = createPlainClient(databaseUrl, 'restore')
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>('select current_database() as name')
    return rows[0]?.name ?? ''
  } finally {
    await client.end().catch(() => {})
  }
}

async function load(client: pg.Client, options: LoadOptions): Promise<void> {
  const { manifest, contents, entries } = options
  const isFormer = areFormerMigrations(manifest.migrations)
  await recreateSchema(client, isFormer ? countOfFormer() : manifest.migrations.length)
  if (isFormer) await makeFormerTables(client, manifest.migrations)
  for (const month of manifest.clickMonths)
    await client.query('select app.make_click_months($1, $1)', [month])
  const tables = await listTables(client)
  const rules = await liftRules(client, tables)
  await removeSeeds(client, tables)

  await copyAll(client, tables, entries)
  for (const { sql, value, isCalled } of contents.sequences)
    await client.query('select setval($1::regclass, $2, $3)', [sql, value, isCalled])
  await rules.putBack()
  await compare(client, tables, contents)
  await client.query(`analyze ${tables.map(({ sql }) => sql).join(', ')}`)
}

/**
 * While rows are loaded, nothing reacts to them: triggers are disabled, foreign keys dropped and added again
 * (their owner cannot disable them), and row security does not apply to the owner (`copy from` refuses it).
 * Indexes without a constraint are built once over all rows, which is faster than row by row; those of partitions stay,
 * because they are attached to the index of their parent.
 */
async function liftRules(client: pg.Client, tables: readonly Table[]) {
  const { rows: keys } = await client.query<{ drop: string; add: string }>(
    `select format('alter table %s drop constraint %I', k.conrelid::regclass, k.conname) as drop,
      format('alter table %s add constraint %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) as add
      from pg_constraint k where k.contype = 'f' and k.conparentid = 0 and k.conrelid = any ($1::text[]::regclass[])`,
    [tables.map(({ sql }) => sql)],
  )
  const { rows: forced } = await client.query<{ sql: string }>(
    `select c.oid::regclass::text as sql from pg_class c
      where c.relforcerowsecurity and c.oid = any ($1::text[]::regclass[])`,
    [tables.map(({ sql }) => sql)],
  )
  const { rows: indexes } = await client.query<{ drop: string; add: string }>(
    `select format('drop index %s', i.indexrelid::regclass) as drop, pg_get_indexdef(i.indexrelid) as add
      from pg_index i join pg_class c on c.oid = i.indexrelid
      where not i.indisunique and not i.indisexclusion and c.relkind = 'i' and not c.relispartition
        and i.indrelid = any ($1::text[]::regclass[])`,
    [tables.map(({ sql }) => sql)],
  )
  for (const { drop } of [...keys, ...indexes]) await client.query(drop)
  for (const { sql } of tables) await client.query(`alter table ${sql} disable trigger user`)
  for (const { sql } of forced) await client.query(`alter table ${sql} no force row level security`)
  return {
    async putBack(): Promise<void> {
      for (const { add } of [...indexes, ...keys]) await client.query(add)
      for (const { sql } of tables) await client.query(`alter table ${sql} enable trigger user`)
      for (const { sql } of forced)
        await client.query(`alter table ${sql} force row level security`)
    },
  }
}

/** The rows that migrations insert. Tables without any stay untouched: the audit log lets even its owner truncate nothing. */
async function removeSeeds(client: pg.Client, tables: readonly Table[]): Promise<void> {
  for (const { sql } of tables) {
    const { rowCount } = await client.query(`select from ${sql} limit 1`)
    if (rowCount !== 0) await client.query(`truncate ${sql}`)
  }
}

async function copyAll(
  client: pg.Client,
  tables: readonly Table[],
  entries: AsyncIterable<Entry>,
): Promise<void> {
  let open: { key: string; stream: ReturnType<typeof startCopy> } | undefined
  const finish = async () => {
    await open?.stream.end()
    open = undefined
  }
  for await (const { name: entryName, data } of entries) {
    const [, key] = /^tables\/([^/]+)\/\d{8}$/.exec(entryName) ?? []
    if (key !== open?.key) await finish()
    if (key === undefined) continue
    if (!open) {
      const table = orThrow(
        tables.find(({ schema, name }) => `${schema}.${name}` === key),
        () => new BackupError(`The backup is damaged: the table ${key} is missing.`),
      )
      open = { key, stream: startCopy(client, table) }
    }
    await open.stream.write(data)
  }
  await finish()
}

function startCopy(client: pg.Client, { sql, columns }: Table) {
  const stream = client.query(copyFrom(`copy ${sql} (${columns.join(', ')}) from stdin`))
  let failure: Error | undefined
  const failed = new Promise<never>((_, reject) => {
    stream.once('error', (error) => {
      failure = error
      reject(error)
    })
  })
  failed.catch(() => {})
  // Without a connection the stream itself would wait for ever.
  const onEnd = () => stream.destroy(new Error('the connection to the database was lost'))
  client.once('end', onEnd)
  stream.once('close', () => client.off('end', onEnd))
  return {
    async write(data: Buffer): Promise<void> {
      if (failure) throw failure
      if (!stream.write(data)) await Promise.race([once(stream, 'drain'), failed])
    },
    async end(): Promise<void> {
      if (failure) throw failure
      const finished = once(stream, 'finish')
      finished.catch(() => {})
      stream.end()
      await Promise.race([finished, failed])
    },
  }
}

/** @throws {BackupError} when a table does not have exactly the rows of the backup */
async function compare(
  client: pg.Client,
  tables: readonly Table[],
  contents: Contents,
): Promise<void> {
  const expected = new Map(contents.tables.map((table) => [table.name, table]))
  for (const table of tables) {
    const sum = await sumTable(client, table)
    const wanted = expected.get(table.sql)
    if (wanted?.rows !== sum.rows || wanted.hash !== sum.hash)
      throw new BackupError(
        `${table.sql} has ${sum.rows} rows instead of the ${wanted?.rows ?? 0} of the backup, or other ones.`,
      )
  }
}
