import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clickDimensions, reportPeriods } from '#domain/reports/hits.ts'
import { planLimits, plans } from '#domain/plans.ts'
import { dimensions } from '#server/analytics/reports/dimensions.ts'
import { apiRules } from '#server/tables/rules.ts'
import { apiCatalog } from '#test/catalog.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** Every unsafe thing in PostgreSQL's catalog; each is a sentence. */
async function flaws(): Promise<string[]> {
  const rows = await database.sql<{ flaw: string }>(`
    select format('table %s has no forced row security', c.oid::regclass) as flaw
    from pg_class c where c.relnamespace = 'app'::regnamespace and c.relkind in ('r', 'p')
      and not (c.relrowsecurity and c.relforcerowsecurity)
    union all
    select format('%s may %s %s, but no policy says which rows', role, verb, c.oid::regclass)
    from pg_class c, pg_roles r, unnest('{select,insert,update,delete}'::text[]) as verb, lateral (select r.rolname as role) _
    where c.relnamespace = 'app'::regnamespace and c.relkind in ('r', 'p')
      and r.rolname ~ '^(anon|authenticated|service_role|hoplet_.*)$'
      and case verb when 'delete' then has_table_privilege(r.oid, c.oid, verb) else has_any_column_privilege(r.oid, c.oid, verb) end
      and not exists (select 1 from pg_policies p where p.schemaname = 'app' and p.tablename = c.relname
        and r.rolname = any (p.roles) and p.cmd in ('ALL', upper(verb)))
    union all
    select format('view %s does not run with its caller''s rights', c.oid::regclass)
    from pg_class c where c.relnamespace = 'api'::regnamespace and c.relkind = 'v'
      and not coalesce('security_invoker=true' = any (c.reloptions), false)
    union all
    select format('api holds %s, which is not a view', c.oid::regclass)
    from pg_class c where c.relnamespace = 'api'::regnamespace and c.relkind not in ('v', 'c')
    union all
    -- A body in standard form was bound when it was created, and can be inlined only without settings.
    select format('function %s does not pin its search_path', p.oid::regprocedure)
    from pg_proc p where p.pronamespace::regnamespace::text in ('app', 'api', 'auth', 'hoplet')
      and (p.prosqlbody is null or p.prosecdef)
      and not exists (select 1 from unnest(p.proconfig) as setting where setting like 'search_path=%')
    union all
    select format('public may execute %s', p.oid::regprocedure)
    from pg_proc p where p.pronamespace::regnamespace::text in ('app', 'api', 'auth', 'hoplet')
      and has_function_privilege('public', p.oid, 'execute')
    union all
    select format('public may use schema %s', n.nspname)
    from pg_namespace n where n.nspname in ('app', 'api', 'auth', 'hoplet', 'extensions')
      and has_schema_privilege('public', n.oid, 'usage')
    union all
    select format('%s may name the tables of schema %s', r.rolname, n.nspname)
    from pg_namespace n, pg_roles r where n.nspname in ('app', 'hoplet') and r.rolname in ('anon', 'authenticated', 'service_role')
      and has_schema_privilege(r.oid, n.oid, 'usage')
    union all
    select format('%s may touch %s', r.rolname, c.oid::regclass)
    from pg_class c, pg_roles r where c.relnamespace = 'auth'::regnamespace and c.relkind = 'r'
      and r.rolname in ('anon', 'authenticated', 'service_role') and has_any_column_privilege(r.oid, c.oid, 'select,insert,update')
    union all
    select format('role %s is more than a role', rolname) from pg_roles
    where rolname ~ '^(anon|authenticated|service_role|hoplet_(owner|auth|visits|worker))$'
      and (rolsuper or rolbypassrls or rolcanlogin or rolcreaterole)
    union all
    select format('%s may insert into %s, but not its default of %s', r.rolname, d.adrelid::regclass, a.attname)
    from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
      join pg_depend f on f.classid = 'pg_attrdef'::regclass and f.objid = d.oid and f.refclassid = 'pg_proc'::regclass, pg_roles r
    where r.rolname ~ '^(anon|authenticated|service_role|hoplet_.*)$' and has_column_privilege(r.oid, d.adrelid, d.adnum, 'insert')
      and not has_function_privilege(r.oid, f.refobjid, 'execute')
    union all
    -- A view that runs with its caller's rights is refused as a whole then.
    select distinct format('%s may read %s, but not %s of %s in it', r.rolname, v.oid::regclass, a.attname, a.attrelid::regclass)
    from pg_class v join pg_rewrite w on w.ev_class = v.oid
      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass
      join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid and a.attnum > 0 and a.attrelid <> v.oid, pg_roles r
    where v.relnamespace = 'api'::regnamespace and r.rolname in ('anon', 'authenticated')
      and has_any_column_privilege(r.oid, v.oid, 'select') and not has_column_privilege(r.oid, a.attrelid, a.attnum, 'select')
    union all
    -- Such a limit is true only of what a trigger has trimmed.
    select format('%s of %s counts trimmed characters, but nothing trims %s', k.conname, c.oid::regclass, a.attname)
    from pg_constraint k join pg_class c on c.oid = k.conrelid
      join pg_attribute a on a.attrelid = c.oid and a.attnum = any (k.conkey)
    where k.contype = 'c' and pg_get_constraintdef(k.oid) like '%length(btrim(' || a.attname || ')%'
      and not exists (select 1 from pg_trigger t join pg_proc p on p.oid = t.tgfoid
        where t.tgrelid = c.oid and t.tgenabled <> 'D' and p.proname ~ '^trim_' and a.attnum = any (t.tgattr)
          and (t.tgnargs = 0 or position(a.attname::text in encode(t.tgargs, 'escape')) > 0))
    order by 1`)
  return rows.map((row) => row.flaw)
}

it('the catalog finds nothing unsafe in the catalog', async () => {
  expect(await flaws()).toEqual([])
})

describe('the check itself notices', () => {
  const planted: [string, string, string][] = [
    [
      'a table without row security',
      'create table app.bad (id int)',
      'table app.bad has no forced row security',
    ],
    [
      'a table whose row security does not bind its owner',
      'create table app.bad (id int); alter table app.bad enable row level security',
      'table app.bad has no forced row security',
    ],
    [
      'a grant without a policy',
      'grant delete on app.user_usage to authenticated',
      'authenticated may delete app.user_usage, but no policy says which rows',
    ],
    [
      'a policy that is gone',
      'drop policy own_read on app.user_usage',
      'authenticated may select app.user_usage, but no policy says which rows',
    ],
    [
      'a definer function without a search_path',
      `create function api.bad() returns int language sql security definer as 'select 1'; revoke execute on function api.bad from public`,
      'function api.bad() does not pin its search_path',
    ],
    [
      'a function for public',
      `create function api.bad() returns int language sql set search_path = '' as 'select 1'; grant execute on function api.bad to public`,
      'public may execute api.bad()',
    ],
    [
      "a view with its owner's rights",
      'create view api.bad as select 1 as x',
      "view api.bad does not run with its caller's rights",
    ],
    [
      'a default that calls what its role may not',
      'alter table app.own_visitors alter column day set default app.today()',
      'hoplet_visits may insert into app.own_visitors, but not its default of day',
    ],
    [
      'a column of a view that its reader may not read',
      'revoke select (note) on app.shortened_urls from anon',
      'anon may read api.shortened_urls, but not note of app.shortened_urls in it',
    ],
    [
      'a limit of trimmed characters that is not kept',
      'drop trigger trim on app.bio_links',
      'bio_links_title_check of app.bio_links counts trimmed characters, but nothing trims title',
    ],
    [
      'a way into the base tables',
      'grant usage on schema app to anon',
      'anon may name the tables of schema app',
    ],
  ]
  it.each(planted)('%s', async (_what, sql, flaw) => {
    const copy = database
    database = await createTestDatabase()
    try {
      await database.sql(sql)
      expect(await flaws()).toContain(flaw)
    } finally {
      await database.drop()
      database = copy
    }
  })
})

it('the catalog has each relation, column and function that the table door’s rules name', () => {
  const { relations, functions } = apiCatalog
  const unknown: string[] = []
  const columnsOf = (name: string) => relations.get(name)?.columns ?? []
  const need = (relation: string, columns: (string | undefined)[]) => {
    for (const column of columns) {
      if (column !== undefined && !columnsOf(relation).includes(column))
        unknown.push(`${relation}.${column}`)
    }
  }
  for (const [name, rules] of Object.entries(apiRules.relations)) {
    const { urls, owner, lookup, visits, apps } = rules
    if (!relations.has(name)) unknown.push(name)
    need(name, [...Object.keys(urls ?? {}), owner?.column, lookup?.by, visits?.column, visits?.by])
    need(name, [...(apps?.writerColumns ?? []), ...Object.keys(apps?.columns ?? {})])
    need(name, [apps?.owner?.column])
    if (owner?.through !== undefined && !apiRules.relations[owner.through]?.owner)
      unknown.push(`the owner of ${owner.through}`)
    if (visits && !functions.has(visits.function)) unknown.push(visits.function)
  }
  for (const [name, { rowsOf, visits }] of Object.entries(apiRules.functions)) {
    const args = functions.get(name)?.args.map((arg) => arg.name) ?? []
    if (!functions.has(name)) unknown.push(name)
    for (const argument of [...Object.keys(rowsOf ?? {}), visits ?? args[0]]) {
      if (argument !== undefined && !args.includes(argument)) unknown.push(`${name}(${argument})`)
    }
    for (const { relation, needed } of Object.values(rowsOf ?? {}))
      need(relation, ['id', ...needed])
  }
  expect(unknown).toEqual([])
})

it('the catalog has an owner rule for each relation that a person may write, unless admins write it too', () => {
  const unruled = [...apiCatalog.relations.values()]
    .filter(({ name, access }) => {
      const { insert, update, delete: remove } = access.authenticated ?? {}
      return (insert ?? update ?? remove) !== undefined && !apiRules.relations[name]?.owner
    })
    .map(({ name }) => name)
  expect(unruled).toEqual(['profiles', 'user_plans', 'user_roles'])
})

it('each table has a documented bound (docs/data-growth.md)', async () => {
  const rows = await database.sql<{ name: string }>(`
    select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('app', 'auth') and c.relkind in ('r', 'p') and not c.relispartition`)
  const page = await readFile(new URL('../../docs/data-growth.md', import.meta.url), 'utf8')
  const listed = [...page.matchAll(/^\| `([a-z._]+)` \| \S/gm)].map(([, name]) => name)
  expect(new Set(listed)).toEqual(new Set(rows.map(({ name }) => name)))
})

it('the catalog has the same dimensions and periods of reports as the screens, the stores and the documentation', async () => {
  const namesIn = async (list: string) => {
    const [row] = await database.sql<{ names: string[] }>(`select app.${list}() as names`)
    return row?.names.toSorted()
  }
  expect(await namesIn('click_dimensions')).toEqual(clickDimensions.toSorted())
  expect(await namesIn('click_periods')).toEqual(reportPeriods.toSorted())
  const rolled = Object.values(dimensions).flatMap((each) => each.rolled?.rows ?? [])
  const names = new Set(['action', ...rolled.map(({ dimension }) => dimension)])
  expect(await namesIn('rollup_dimensions')).toEqual([...names].toSorted())
  const docs = await readFile('docs/analytics.md', 'utf8')
  const row = docs.split('\n').find((line) => line.startsWith('| `_by` |'))
  expect(
    [...reportPeriods, ...clickDimensions].filter((by) => !row?.includes(`\`${by}\``)),
  ).toEqual([])
})

it('the catalog has the same plan limits as the screens', async () => {
  for (const plan of plans) {
    const rows = await database.sql('select * from app.plan_limits($1)', [plan])
    const limits = planLimits[plan]
    expect(rows).toEqual([
      {
        custom_codes: limits.customCodes,
        shortened_urls: limits.shortenedUrls,
        qr_codes: limits.qrCodes,
        limit_type: limits.limitType,
        can_view_clicks: limits.canViewClicks,
        spaces: limits.spaces,
        members: limits.members,
        domains: limits.domains,
      },
    ])
  }
})
