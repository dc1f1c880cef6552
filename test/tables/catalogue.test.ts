import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { planLimits, plans } from '#domain/plans.ts'
import { exposed } from '#server/tables/exposure.ts'
import { callable } from '#server/tables/functions.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** Everything in the catalogue that must not be; each is a sentence. */
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
    select format('api holds %s, which is no view', c.oid::regclass)
    from pg_class c where c.relnamespace = 'api'::regnamespace and c.relkind not in ('v', 'c')
    union all
    select format('function %s does not pin its search_path', p.oid::regprocedure)
    from pg_proc p where p.pronamespace::regnamespace::text in ('app', 'api', 'auth', 'hoplet')
      and not exists (select 1 from unnest(p.proconfig) as setting where setting like 'search_path=%')
    union all
    select format('everybody may execute %s', p.oid::regprocedure)
    from pg_proc p where p.pronamespace::regnamespace::text in ('app', 'api', 'auth', 'hoplet')
      and has_function_privilege('public', p.oid, 'execute')
    union all
    select format('everybody may use schema %s', n.nspname)
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
    order by 1`)
  return rows.map((row) => row.flaw)
}

it('finds nothing in the catalogue that must not be', async () => {
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
      'a function for everybody',
      `create function api.bad() returns int language sql set search_path = '' as 'select 1'; grant execute on function api.bad to public`,
      'everybody may execute api.bad()',
    ],
    [
      "a view with its owner's rights",
      'create view api.bad as select 1 as x',
      "view api.bad does not run with its caller's rights",
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

it('exposes exactly the views of the schema api, with their columns, verbs and grants', async () => {
  const rows = await database.sql<{
    relation: string
    column: string
    role: string
    verb: string
  }>(`
    select c.relname as relation, a.attname as column, role, verb
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0,
      unnest('{anon,authenticated,service_role}'::text[]) as role, unnest('{select,insert,update}'::text[]) as verb
    where c.relnamespace = 'api'::regnamespace and c.relkind = 'v' and (verb = 'select' or pg_column_is_updatable(c.oid, a.attnum, false))
      and has_column_privilege(role, c.oid, a.attnum, verb)
      and (verb = 'select' or has_any_column_privilege(role, 'app.' || c.relname, verb) and has_column_privilege(role, 'app.' || c.relname,
        case when exists (select 1 from pg_attribute b where b.attrelid = ('app.' || c.relname)::regclass and b.attname = a.attname)
          then a.attname end, verb))
    order by 1, a.attnum`)
  const found = rows.map((row) => `${row.role} ${row.verb} ${row.relation}.${row.column}`).sort()
  const listed = [...exposed].flatMap(([relation, { access }]) =>
    Object.entries(access).flatMap(([role, verbs]) =>
      (['select', 'insert', 'update'] as const).flatMap((verb) =>
        (verbs[verb] ?? []).map((column) => `${role} ${verb} ${relation}.${column}`),
      ),
    ),
  )
  expect(listed.sort()).toEqual(found)
})

it('lists the columns of each view in its order', async () => {
  const rows = await database.sql<{ relation: string; columns: string[] }>(`
    select c.relname as relation, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'api'::regnamespace and c.relkind = 'v' group by 1 order by 1`)
  const listed = [...exposed].map(([relation, { columns }]) => ({ relation, columns }))
  expect(rows).toEqual(listed.sort((a, b) => (a.relation < b.relation ? -1 : 1)))
})

it('lists the functions of the schema api as they are', async () => {
  const rows = await database.sql<{ name: string }>(`
    select p.proname as name,
      (select coalesce(json_agg(json_build_object('name', p.proargnames[i], 'type', format_type(p.proargtypes[i - 1], null),
        'optional', i > p.pronargs - p.pronargdefaults) order by i), '[]') from generate_series(1, p.pronargs) as i) as args,
      case when p.proretset then 'rows of ' || format_type(p.prorettype, null) else format_type(p.prorettype, null) end as returns,
      p.provolatile <> 'v' as stable,
      (select json_agg(role) from unnest('{anon,authenticated,service_role}'::text[]) as role
        where has_function_privilege(role, p.oid, 'execute')) as roles
    from pg_proc p where p.pronamespace = 'api'::regnamespace order by 1`)
  const listed = [...callable].map(([name, known]) => ({
    name,
    args: known.args.map((arg) => ({
      name: arg.name,
      type: arg.type,
      optional: arg.optional === true,
    })),
    returns:
      typeof known.returns === 'object' ? `rows of api.${known.returns.rows}` : known.returns,
    stable: known.stable,
    roles: [...known.roles],
  }))
  const simple = rows.map((row) => {
    const returns = (row as unknown as { returns: string }).returns
    return {
      ...row,
      returns: returns === 'void' || returns.startsWith('rows of') ? returns : 'value',
    }
  })
  expect(simple).toEqual(listed.sort((a, b) => (a.name < b.name ? -1 : 1)))
})

it('has the same plan limits as the screens', async () => {
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
      },
    ])
  }
})
