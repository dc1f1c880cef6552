/** @module-tag extended */
import { readFileSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { createLog } from '#server/log.ts'
import { lastRelease, migrate, type Migration, migrations } from '#server/postgres/migrate.ts'
import { openDatabase } from '#server/postgres/database.ts'
import { sha256Hex } from '#server/primitives/sha256.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'

// While servers are replaced one by one, the program of the last release runs on the schema of the next one (CONTRIBUTING.md,
// "Migrations"). The parts of it that this program may use have to be there still: columns with their types,
// functions, grants, and inserts that do not know a new column.

const log = createLog('fatal')
const databases: TestDatabase[] = []
afterEach(async () => {
  for (const database of databases.splice(0)) await database.drop()
})

/** The schema that a program may rely on, as lines, with the columns that an insert has to name. */
async function surfaceOf({ sql }: TestDatabase) {
  const schemas = `(select oid from pg_namespace where nspname in ('auth', 'app', 'api'))`
  const relations = `(select oid from pg_class where relnamespace in ${schemas} and relkind in ('r', 'p', 'v') and not relispartition)`
  const used = await sql<{ line: string }>(`
    select format('column %s.%s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod)) as line
      from pg_attribute where attnum > 0 and not attisdropped and attrelid in ${relations}
    union select format('function %s returns %s', oid::regprocedure, pg_get_function_result(oid))
      from pg_proc where pronamespace in ${schemas} and prorettype <> 'trigger'::regtype
    union select format('grant %s on %s to %s', a.privilege_type, c.oid::regclass, a.grantee::regrole)
      from pg_class c, aclexplode(c.relacl) a where c.oid in ${relations}
    union select format('grant %s on %s.%s to %s', a.privilege_type, t.attrelid::regclass, t.attname, a.grantee::regrole)
      from pg_attribute t, aclexplode(t.attacl) a where t.attrelid in ${relations}
    union select format('grant %s on %s to %s', a.privilege_type, p.oid::regprocedure, a.grantee::regrole)
      from pg_proc p, aclexplode(p.proacl) a where p.pronamespace in ${schemas}`)
  const required = await sql<{ table: string; line: string }>(`
    select attrelid::regclass::text as table, format('%s.%s', attrelid::regclass, attname) as line from pg_attribute
      where attnum > 0 and not attisdropped and attnotnull and not atthasdef and attidentity = '' and attrelid in ${relations}`)
  const tables = await sql<{ name: string }>(
    `select oid::regclass::text as name from pg_class where oid in ${relations}`,
  )
  return {
    used: new Set(used.map(({ line }) => line)),
    required: new Map(required.map(({ line, table }) => [line, table])),
    tables: new Set(tables.map(({ name }) => name)),
  }
}

/**
 * Things that the program of the last release would miss after these migrations. Without code: this build's may name new
 * columns.
 */
async function missedAfter(known: Migration[]): Promise<string[]> {
  const database = await createTestDatabase({ empty: true })
  databases.push(database)
  const count = known.findIndex(({ name }) => name === lastRelease) + 1
  await migrate(database.url, log, known.slice(0, count), '')
  const before = await surfaceOf(database)
  await migrate(database.url, log, known, '')
  const after = await surfaceOf(database)
  const demanded = [...after.required].filter(
    ([line, table]) => before.tables.has(table) && !before.required.has(line),
  )
  return [
    ...[...before.used].filter((line) => !after.used.has(line)),
    ...demanded.map(([line]) => `required ${line}`),
  ]
}

it('released migrations are immutable', () => {
  const released = readFileSync(new URL('released-migrations.txt', import.meta.url), 'utf8')
  const lines = migrations.map(({ name, sql }) => `${sha256Hex(sql)} ${name}`)
  expect(lines).toEqual(expect.arrayContaining(released.trim().split('\n')))
  expect(released).toContain(lastRelease)
})

/** A trigger of api.user_plans writes plans since 0038: until its restart, a server of the release before refuses an admin's change of plan. */
const writtenByTrigger = [
  'grant DELETE on app.user_plans to service_role',
  'grant INSERT on app.user_plans to service_role',
  'grant UPDATE on app.user_plans to service_role',
  'grant UPDATE on app.user_plans.plan_type to authenticated',
]

it('release N-1 runs on the schema of release N, but for changes of plans by admins', async () => {
  expect((await missedAfter(migrations)).toSorted()).toEqual(writtenByTrigger)
})

it('the check notices objects that a migration takes away (control)', async () => {
  const sql = `
    alter table app.shortened_urls rename column original_url to headline;
    alter table app.bio_links add column position_hint integer not null default 1;
    alter table app.bio_links alter column position_hint drop default;
    revoke select on app.media from hoplet_worker;
    drop function app.today() cascade;`
  const known = migrations.slice(0, migrations.findIndex(({ name }) => name === lastRelease) + 1)
  const missed = await missedAfter([...known, { name: '9999_control.sql', sql }])
  for (const part of [
    'app.shortened_urls.original_url',
    'grant SELECT on app.media to hoplet_worker',
    'function app.today()',
    'required app.bio_links.position_hint',
  ])
    expect(
      missed.filter((line) => line.includes(part)),
      part,
    ).not.toEqual([])
})

it('an upgrade lets the program of the last release start, and no older one', async () => {
  const count = migrations.findIndex(({ name }) => name === lastRelease) + 1
  const database = await createTestDatabase()
  databases.push(database)
  expect(await migrate(database.url, log, migrations.slice(0, count))).toEqual([])
  await expect(migrate(database.url, log, migrations.slice(0, count - 1))).rejects.toThrow(
    `The database has migration ${lastRelease}, which this version of Hoplet does not know.`,
  )
  // A migration of a release that did not say so yet.
  await database.sql('update hoplet.migrations set runs_with = null')
  await expect(migrate(database.url, log, migrations.slice(0, count - 1))).rejects.toThrow(
    'It was set up by a newer version',
  )
})

it('an upgrade stores the batches of the program of release 1.0.0, and queues them for webhooks once', async () => {
  const database = await createTestDatabase()
  databases.push(database)
  const [owner] = await database.sql<{ id: string }>(
    `insert into auth.users (id, email) values (gen_random_uuid(), 'former@example.com') returning id`,
  )
  await database.sql(
    `insert into app.webhooks (user_id, url, events, secret) values ($1, 'https://example.com/', '{clicks.recorded,popup.email_given}', '')`,
    [owner?.id],
  )
  await database.sql(`update app.user_plans set plan_type = 'business' where user_id = $1`, [
    owner?.id,
  ])
  const [scope] = await database.sql<{ id: number }>(
    `insert into app.click_scopes (kind, ref, user_id) values ('account', $1, $1) returning id`,
    [owner?.id],
  )
  const [now, id] = [String(Date.now()), String(scope?.id)]
  const opened = openDatabase(database.url, log)
  await opened.transactionAs({ role: 'hoplet_visits' }, async (db) => {
    await db.query(`update app.shortened_urls t set click_count = t.click_count + 1 where false`)
    await db.query('select app.click_places_of($1)', ['[["DE", "", ""]]'])
    await db.query('select app.store_hits($1), app.queue_hits_for_webhooks($1)', [
      [now, '7', id, id, '0', '0', '0', 'c', 'l'],
    ])
    await db.query('select app.store_popup_events($1), app.queue_popup_emails_for_webhooks($1)', [
      [now, '7', id, id, id, 'm', 'c'],
    ])
  })
  await opened.close()
  const counts = ['click_events', 'webhook_clicks', 'popup_events', 'webhook_events'].map(
    (table) => `(select count(*)::int from app.${table})`,
  )
  expect(await database.sql(`select array[${counts.join()}] as n`)).toEqual([{ n: [1, 1, 1, 1] }])
})
