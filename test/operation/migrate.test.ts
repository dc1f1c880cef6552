import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import formerChecksums from '../../database/former-migrations.json' with { type: 'json' }
import { createLog } from '#server/log.ts'
import { databaseCode } from '#server/postgres/code.ts'
import { makeFormerTables } from '#server/postgres/former-migrations.ts'
import { countOfFormer, migrate, MigrationError, migrations } from '#server/postgres/migrate.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'

const log = createLog('fatal')
const databases: TestDatabase[] = []

afterEach(async () => {
  for (const database of databases.splice(0)) await database.drop()
})

/** The files that made up the schema before the first release, with nothing in them. */
const beforeTheFirstRelease = [
  '0001_schemas',
  '0002_auth',
  '0003_tables',
  '0004_rules',
  '0005_row_security',
  '0006_api',
  '0007_save_bio_page',
  '0008_ai_and_media',
  '0010_bio_link_clicks',
  '0011_popup_and_page_rules',
  '0012_abuse_reports',
  '0020_billing',
  '0021_commissions',
  '0022_mail_outbox',
  '0023_audit_log',
  '0024_affiliates',
  '0025_admin',
  '0026_a_day_starts_with_the_plan',
  '0030_auth_service',
  '0031_a_ban_ends_all',
  '0032_cheap_counting',
  '0033_held_links',
  '0034_notices_keep_quiet',
  '0035_visible_link_titles',
].map((name) => ({ name: `${name}.sql`, sql: '' }))

/** Everything but names that PostgreSQL makes up. */
async function schemaOf(sql: TestDatabase['sql']): Promise<unknown> {
  const schemas = `('api', 'app', 'auth')`
  return {
    columns: await sql(
      `select attrelid::regclass::text as relation, attname, format_type(atttypid, atttypmod), attnotnull, attacl::text
        from pg_attribute a join pg_class c on c.oid = a.attrelid
        where attnum > 0 and not attisdropped and relkind in ('r', 'p', 'v') and relnamespace::regnamespace::text in ${schemas}
        order by 1, 2`,
    ),
    rules: await sql(
      `select conrelid::regclass::text as relation, replace(pg_get_constraintdef(oid), ' NOT VALID', '') as rule from pg_constraint
        where connamespace::regnamespace::text in ${schemas} order by 1, 2`,
    ),
    indexes: await sql(`select indexdef from pg_indexes where schemaname in ${schemas} order by 1`),
    policies: await sql('select * from pg_policies order by schemaname, tablename, policyname'),
    functions: await sql(
      `select pg_get_functiondef(oid), proacl::text from pg_proc where pronamespace::regnamespace::text in ${schemas} order by 1`,
    ),
  }
}

/** Makes a present database look like one that the first `count` of the former files have made. */
async function becomeFormer(superuserUrl: string, count: number): Promise<void> {
  const applied = Object.entries<string>(formerChecksums)
    .slice(0, count)
    .map(([name, checksum]) => ({ name, checksum }))
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  await client.query('set role hoplet_owner')
  await client.query('drop table if exists hoplet.code; delete from hoplet.migrations')
  await client.query(
    'insert into hoplet.migrations (name, checksum) select name, checksum from jsonb_to_recordset($1) as m (name text, checksum text)',
    [JSON.stringify(applied)],
  )
  await client.query(
    'create or replace function app.of_the_past() returns integer language sql return 1',
  )
  if (count < 42) {
    await makeFormerTables(client, applied)
    await client.query(
      'create index sessions_user_id on auth.sessions (user_id); drop index auth.sessions_newest',
    )
  }
  await client.end()
}

async function aDatabase(options?: { empty: boolean }): Promise<TestDatabase> {
  const database = await createTestDatabase(options)
  databases.push(database)
  return database
}

describe('migrate', () => {
  it('does nothing on a schema that is up to date', async () => {
    expect(await migrate((await aDatabase()).url, log)).toEqual([])
  })

  it('waits for no backup when there is nothing to do', async () => {
    const { url, superuserUrl } = await aDatabase()
    const backup = new pg.Client({ connectionString: superuserUrl })
    backup.on('error', () => {})
    await backup.connect()
    await backup.query('begin isolation level repeatable read read only')
    const { rows } = await backup.query<{
      name: string
    }>(`select format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('hoplet', 'auth', 'app') and c.relkind in ('r', 'p')`)
    for (const { name } of rows) await backup.query(`select from ${name} limit 1`)
    expect(await migrate(url, log)).toEqual([])
    await backup.end()
  })

  it('runs each migration once when servers start together', async () => {
    const { url, sql } = await aDatabase({ empty: true })
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(url, log)))
    expect(applied.flat().sort()).toEqual(migrations.map((migration) => migration.name))
    expect(await sql('select name from hoplet.migrations order by name')).toHaveLength(
      migrations.length,
    )
  })

  it('leaves nothing of a migration that fails, and goes on from there when it is mended', async () => {
    const { url, sql } = await aDatabase()
    const broken = [
      ...migrations,
      { name: '9000_broken.sql', sql: 'create table app.half (); select 1 / 0' },
    ]
    await expect(migrate(url, log, broken)).rejects.toThrow('division by zero')
    expect(await sql(`select to_regclass('app.half') as half`)).toEqual([{ half: null }])
    const mended = [...migrations, { name: '9000_broken.sql', sql: 'create table app.half ()' }]
    expect(await migrate(url, log, mended)).toEqual(['9000_broken.sql'])
  })

  it('leaves nothing of a migration when its connection is cut', async () => {
    const { url, sql, superuserUrl } = await aDatabase()
    const slow = [
      ...migrations,
      { name: '9000_slow.sql', sql: 'create table app.half (); select pg_sleep(20)' },
    ]
    const running = migrate(url, log, slow)
    running.catch(() => {})
    const superuser = new pg.Client({ connectionString: superuserUrl })
    await superuser.connect()
    for (let cut = 0; cut === 0; await sleep(50)) {
      const { rowCount } = await superuser.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(20)' and pid <> pg_backend_pid() and datname = current_database()`,
      )
      cut = rowCount ?? 0
    }
    await superuser.end()
    await expect(running).rejects.toThrow()
    expect(await sql(`select to_regclass('app.half') as half`)).toEqual([{ half: null }])
    expect(await migrate(url, log)).toEqual([])
  })

  it('refuses a schema that is newer than this build', async () => {
    const { url, sql } = await aDatabase()
    await sql(`insert into hoplet.migrations (name, checksum) values ('9999_of_tomorrow.sql', 'x')`)
    await expect(migrate(url, log)).rejects.toThrow(MigrationError)
    await expect(migrate(url, log)).rejects.toThrow('newer version')
  })

  it('refuses a database from before the first release in one sentence', async () => {
    const { url } = await aDatabase({ empty: true })
    await migrate(url, log, beforeTheFirstRelease, '')
    await expect(migrate(url, log)).rejects.toThrow(MigrationError)
    await expect(migrate(url, log)).rejects.toThrow(
      'The database was set up by a version of Hoplet from before the first release (migration 0001_schemas.sql), ' +
        'which cannot be upgraded: start with an empty DATA_DIR or an empty database.',
    )
  })

  it.each([42, 31])('adopts a database with %i of the former files', async (count) => {
    const { url, sql, superuserUrl } = await aDatabase()
    await sql(`insert into app.reserved_brands (name) values ('kept')`)
    const before = await schemaOf(sql)
    await becomeFormer(superuserUrl, count)
    // Tables have columns of later migrations already, which therefore are left out.
    const adopted = migrations.slice(0, countOfFormer())
    expect(await migrate(url, log, adopted)).toEqual(['0016_webhooks.sql'])
    expect(await migrate(url, log, adopted)).toEqual([])
    // The adoption writes the verdicts of its time, and later migrations add some.
    const verdicts = migrations.flatMap(
      ({ sql: text }) =>
        /alter table app\.click_events drop constraint[^;]+;/.exec(text)?.[0] ?? [],
    )
    await sql(verdicts.at(-1) ?? '')
    expect(await schemaOf(sql)).toEqual(before)
    expect(await sql(`select name from app.reserved_brands where name = 'kept'`)).toHaveLength(1)
  })

  it('refuses a database with fewer of the former files, or with a changed one', async () => {
    const { url, sql, superuserUrl } = await aDatabase()
    await becomeFormer(superuserUrl, 30)
    await expect(migrate(url, log)).rejects.toThrow('from before the first release')
    await becomeFormer(superuserUrl, 42)
    await sql(`update hoplet.migrations set checksum = 'x' where name = '0007_names_and_links.sql'`)
    await expect(migrate(url, log)).rejects.toThrow('from before the first release')
  })

  it('replaces the code of the database when it has changed, and drops removed objects', async () => {
    const { url, sql } = await aDatabase()
    const functions = () =>
      sql(
        `select oid::regprocedure::text as name from pg_proc where proname ~ '^(of_today|of_tomorrow)$'`,
      )
    const today = `${databaseCode}\ncreate function app.of_today() returns integer language sql return 1;`
    expect(await migrate(url, log, migrations, today)).toEqual([])
    expect(await functions()).toEqual([{ name: 'app.of_today()' }])
    const tomorrow = today.replaceAll('of_today', 'of_tomorrow')
    await migrate(url, log, migrations, tomorrow)
    expect(await functions()).toEqual([{ name: 'app.of_tomorrow()' }])
    const broken = `${tomorrow}\ncreate view api.broken as select * from app.nothing;`
    await expect(migrate(url, log, migrations, broken)).rejects.toThrow('app.nothing')
    expect(await functions()).toEqual([{ name: 'app.of_tomorrow()' }])
    // A newer program's code stays.
    await sql(`update hoplet.code set version = '9999.0.0'`)
    await migrate(url, log)
    expect(await functions()).toEqual([{ name: 'app.of_tomorrow()' }])
  })

  it('puts accounts back in UTC when this PostgreSQL does not know their time zone', async () => {
    const { url, sql } = await aDatabase()
    const zones = ['Mars/Olympus', 'posix/Europe/Berlin', 'Europe/Berlin', null]
    await sql(
      `insert into auth.users (id, email) select gen_random_uuid(), 'p' || n || '@example.com' from generate_series(1, 4) n`,
    )
    await sql(`update app.profiles set time_zone = ($1::text[])[substr(email, 2, 1)::integer]`, [
      zones,
    ])
    await sql(
      `with accounts as (
        insert into app.click_scopes (kind, ref, user_id) select 'account', id, id from app.profiles returning id)
      insert into app.click_account_days (account, day, received) select id, app.today() - 3, 600 from accounts`,
    )
    const zonesNow = async () =>
      (
        await sql<{ time_zone: string | null }>('select time_zone from app.profiles order by email')
      ).map((row) => row.time_zone)
    const due = 'select from app.due_rollups(200)'
    await expect(sql(due)).rejects.toThrow('time zone "Mars/Olympus" not recognized')
    expect(await migrate(url, log)).toEqual([])
    expect(await zonesNow()).toEqual([null, null, 'Europe/Berlin', null])
    expect(await sql(due)).not.toEqual([])
    expect(await migrate(url, log)).toEqual([])
    expect(await zonesNow()).toEqual([null, null, 'Europe/Berlin', null])
  })

  it('refuses a migration that was changed after it was applied', async () => {
    const { url } = await aDatabase()
    const changed = migrations.map((migration, index) =>
      index === 2 ? { ...migration, sql: `${migration.sql}\n-- changed` } : migration,
    )
    await expect(migrate(url, log, changed)).rejects.toThrow('was changed')
  })
})
