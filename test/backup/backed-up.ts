import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeBackup } from '#server/backup/backup-file.ts'
import type { DumpSource } from '#server/backup/dump.ts'
import { restoreBackup, type RestoreOptions } from '#server/backup/restore.ts'
import { createLog } from '#server/log.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import type { TestServer } from '#test/server.ts'

const log = createLog('silent')

export function sourceOf(server: TestServer): DumpSource {
  return {
    databaseUrl: server.databaseUrl,
    dataDir: server.context.config.dataDir,
    readImage: server.context.media.read,
    hasOwnSigningKey: false,
  }
}

/** A folder that is removed with `clean`. */
export async function scratchFolder(clean: (() => Promise<unknown>)[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hoplet-backup-'))
  clean.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Backs up a server and restores it into an empty database and folder. */
export async function backUpAndRestore(
  server: TestServer,
  clean: (() => Promise<unknown>)[],
  whileBackingUp: () => Promise<unknown> = async () => {},
) {
  const folder = await scratchFolder(clean)
  const path = join(folder, 'backup.tar.gz')
  const [report] = await Promise.all([
    writeBackup(sourceOf(server), path, undefined),
    whileBackingUp(),
  ])
  const database = await createTestDatabase({ empty: true })
  clean.push(() => database.drop())
  const restored = await restoreInto(database, path, clean)
  return { path, report, database, ...restored }
}

export async function restoreInto(
  database: Pick<TestDatabase, 'url'>,
  path: string,
  clean: (() => Promise<unknown>)[],
  options: Partial<RestoreOptions> = {},
) {
  const dataDir = await scratchFolder(clean)
  const images = new Map<string, Buffer>()
  const restored = await restoreBackup({
    path,
    passphrase: undefined,
    databaseUrl: database.url,
    dataDir,
    putImage: async (hash, bytes) => void images.set(hash, Buffer.from(bytes)),
    replaces: false,
    log,
    ...options,
  })
  return { dataDir, images, restored }
}

/** Every row of every table as text, by the superuser, sorted; and every sequence. */
export async function everyRowOf({ sql }: Pick<TestDatabase, 'sql'>) {
  const tables = await sql<{ name: string; kind: string }>(
    `select c.oid::regclass::text as name, c.relkind::text as kind from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('hoplet', 'auth', 'app', 'api') and c.relkind in ('r', 'p', 'S')
        -- A restored database gets its code from the program that restores it.
        and (n.nspname, c.relname) <> ('hoplet', 'code') order by 1`,
  )
  const rows = new Map<string, string[]>()
  for (const { name, kind } of tables) {
    if (kind !== 'S') {
      const found = await sql<{ row: string }>(`select r::text as row from ${name} r order by 1`)
      rows.set(
        name,
        found.map(({ row }) => row),
      )
    } else {
      const found = await sql<{ row: string }>(
        `select (last_value, is_called)::text as row from ${name}`,
      )
      rows.set(
        name,
        found.map(({ row }) => row),
      )
    }
  }
  return rows
}

/** The parts of the schema: tables, columns, constraints, triggers and whether they fire, policies, grants, functions. */
export async function schemaOf({ sql }: Pick<TestDatabase, 'sql'>): Promise<string[]> {
  const namespace = `(select oid from pg_namespace where nspname in ('hoplet', 'auth', 'app', 'api', 'extensions'))`
  const rows = await sql<{ line: string }>(`
    select line from (
      select format('%s %s rls %s force %s acl %s owner %s', relkind, oid::regclass, relrowsecurity, relforcerowsecurity, relacl::text, relowner::regrole) as line
        from pg_class where relnamespace in ${namespace} and relkind in ('r', 'p', 'v', 'S', 'i', 'I')
      union all select format('column %s.%s %s %s %s', attrelid::regclass, attname, atttypid::regtype, attnotnull, attacl::text)
        from pg_attribute where attnum > 0 and not attisdropped and attrelid in (select oid from pg_class where relnamespace in ${namespace} and relkind in ('r', 'p', 'v'))
      union all select format('constraint %s %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated)
        from pg_constraint where connamespace in ${namespace}
      union all select format('trigger %s %s', pg_get_triggerdef(oid), tgenabled) from pg_trigger
        where not tgisinternal and tgrelid in (select oid from pg_class where relnamespace in ${namespace})
      union all select format('policy %s %s %s', polrelid::regclass, polname, pg_get_expr(polqual, polrelid)) from pg_policy
      union all select format('function %s %s %s', oid::regprocedure, md5(prosrc), proacl::text) from pg_proc where pronamespace in ${namespace}
    ) s order by line`)
  return rows.map(({ line }) => line)
}
