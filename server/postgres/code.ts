import pg from 'pg'
import manifest from '../../package.json' with { type: 'json' }
import { sha256Hex } from '../primitives/sha256.ts'

const files = import.meta.glob<string>('../../database/code/*.sql', {
  query: '?raw',
  import: 'default',
  eager: true,
})

/** Functions, views, triggers and policies as this build has them, in the order of their files. */
export const databaseCode = Object.keys(files)
  .sort()
  .map((path) => files[path]?.replaceAll('\r\n', '\n'))
  .join('\n')

/** The table that says which code the database has. It belongs to the migrations' schema. */
export const codeTable = `create table if not exists hoplet.code (
  is_only boolean primary key default true check (is_only), checksum text not null, version text not null,
  applied_at timestamptz not null default now())`

/**
 * Replaces the database's code by this build's when they differ, in the transaction of the caller, who is the owner. A newer
 * program's code stays: while servers are replaced one by one, this one runs on it.
 *
 * @param migrations those that the database has: their functions belong to tables and stay
 * @returns whether the code was replaced
 */
export async function applyCode(
  client: pg.ClientBase,
  migrations: readonly { sql: string }[],
  code: string,
): Promise<boolean> {
  const checksum = sha256Hex(code)
  const { rows } = await client.query<{ checksum: string; version: string }>(
    'select checksum, version from hoplet.code',
  )
  const applied = rows[0]
  if (applied?.checksum === checksum) return false
  if (applied && isNewer(applied.version, manifest.version)) return false
  await client.query('set local check_function_bodies = off')
  await client.query(dropCode(functionsOf(migrations)))
  await client.query(code)
  await client.query(
    `insert into hoplet.code (checksum, version) values ($1, $2) on conflict (is_only) do update
      set checksum = excluded.checksum, version = excluded.version, applied_at = now()`,
    [checksum, manifest.version],
  )
  return true
}

/** Those that constraints, defaults, indexes and partitions use. */
function functionsOf(migrations: readonly { sql: string }[]): string[] {
  return migrations.flatMap(({ sql }) =>
    [...sql.matchAll(/^create (?:or replace )?function ([\w.]+)/gm)].map(([, name = '']) => name),
  )
}

/** Policies for the owner belong to their tables: row security is forced, and shows the owner nothing without one. */
function dropCode(keptFunctions: readonly string[]): string {
  return `do $$
declare
  statement text;
begin
  foreach statement in array array(
    select format('drop policy if exists %I on %s', p.polname, p.polrelid::regclass)
      from pg_policy p join pg_class c on c.oid = p.polrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('app', 'auth') and p.polroles <> array['hoplet_owner'::regrole::oid]
    union all
    select format('drop trigger if exists %I on %s', t.tgname, t.tgrelid::regclass)
      from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('app', 'auth') and not t.tgisinternal and t.tgparentid = 0
    union all
    select format('drop view if exists %s cascade', c.oid::regclass)
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'api' and c.relkind = 'v'
    union all
    select format('drop function if exists %s cascade', p.oid::regprocedure)
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname in ('api', 'app', 'auth') and n.nspname || '.' || p.proname <> all (${pg.escapeLiteral(`{${keptFunctions.join(',')}}`)}::text[]))
  loop
    execute statement;
  end loop;
end $$`
}

/** By the three numbers of a version. */
function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map((each) => each.split('.').map(Number))
  for (const place of [0, 1, 2]) {
    const difference = (a?.[place] ?? 0) - (b?.[place] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return false
}
