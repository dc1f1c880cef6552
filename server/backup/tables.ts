import type pg from 'pg'
import { BackupError } from './backup-error.ts'

/** A table with rows, or the root of its partitions. */
export interface Table {
  schema: string
  name: string
  /** Quoted, for SQL. */
  sql: string
  /** Quoted, in their order, without generated ones. */
  columns: string[]
}

export interface TableSum {
  rows: number
  /** Hash of all rows, in any order. */
  hash: string
}

/** Everything that Hoplet stores is here; `api` and `extensions` have no rows. */
const schemas = `'{hoplet,auth,app}'::text[]`

/** Text format of values on both sides, independent of the defaults of server, database and role. */
export const textSettings = `
  set local timezone = 'UTC';
  set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'postgres';
  set local extra_float_digits = 1;
  set local bytea_output = 'hex';
  set local client_encoding = 'UTF8';
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0`

/** All tables, smallest names first. Partitions are read and written through their root. */
export async function listTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select n.nspname as schema, c.relname as name, format('%I.%I', n.nspname, c.relname) as sql,
      (select coalesce(array_agg(quote_ident(a.attname) order by a.attnum), '{}') from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any (${schemas}) and c.relkind in ('r', 'p') and not c.relispartition
      -- Records the code that the database has: a restored one gets the code of the program that restores it.
      and (n.nspname, c.relname) <> ('hoplet', 'code')
    order by 1, 2`)
  return rows
}

/**
 * Row security is forced, so the owner reads the rows that its policies show: all rows of all tables, or the copy would lack some
 * without an error.
 *
 * @throws {BackupError} naming the tables that would hide rows
 */
export async function requireWholeTables(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any (${schemas}) and c.relkind in ('r', 'p') and c.relrowsecurity and (
      not exists (select from pg_policy p where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('*', 'r')
        and pg_get_expr(p.polqual, p.polrelid) = 'true' and p.polroles && array[0::oid, 'hoplet_owner'::regrole::oid])
      or exists (select from pg_policy p where p.polrelid = c.oid and not p.polpermissive
        and p.polroles && array[0::oid, 'hoplet_owner'::regrole::oid]))
    order by 1`)
  if (rows.length > 0)
    throw new BackupError(
      `Policies hide rows from a backup: ${rows.map(({ name }) => name).join(', ')}.`,
    )
}

/** Counts and hashes a table; two tables with the same rows have the same sum, on any server. */
export async function sumTable(client: pg.ClientBase, table: Table): Promise<TableSum> {
  const { rows } = await client.query<{ rows: string; hash: string }>(
    `select count(*) as rows,
      coalesce(sum(('x' || left(md5(row(${table.columns.join(', ')})::text), 15))::bit(60)::bigint), 0)::text as hash
      from ${table.sql}`,
  )
  const found = rows[0]
  return { rows: Number(found?.rows ?? 0), hash: found?.hash ?? '' }
}

export interface Sequence {
  /** Quoted, for SQL. */
  sql: string
  value: string
  isCalled: boolean
}

export async function readSequences(client: pg.ClientBase): Promise<Sequence[]> {
  const { rows: names } = await client.query<{ sql: string }>(`
    select format('%I.%I', n.nspname, c.relname) as sql
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any (${schemas}) and c.relkind = 'S' order by 1`)
  const found: Sequence[] = []
  for (const { sql } of names) {
    const { rows } = await client.query<{ value: string; is_called: boolean }>(
      `select last_value::text as value, is_called from ${sql}`,
    )
    if (rows[0]) found.push({ sql, value: rows[0].value, isCalled: rows[0].is_called })
  }
  return found
}

/** The months, as `YYYY-MM-01`, that click events have a partition for. */
export async function readClickMonths(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ month: string }>(`
    select distinct replace(right(c.relname, 7), '_', '-') || '-01' as month
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'app' and c.relispartition and c.relname ~ '^(click|popup)_events_[0-9]{4}_[0-9]{2}$' order by 1`)
  return rows.map(({ month }) => month)
}
