/** @module-tag extended */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { apiCatalog } from '#test/catalog.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import {
  actors,
  cellsOf,
  makeWorld,
  type Outcome,
  unfilteredCellsOf,
  type World,
} from '../rights/matrix.ts'
import { inSql } from '../rights/matrix-in-sql.ts'

let server: TestServer
let world: World

beforeAll(async () => {
  server = await startTestServer()
  world = await makeWorld(server)
})
afterAll(async () => {
  await world.close()
  await server.close()
})

interface Mutant {
  table: string
  sql: string
}

const apiRoles = ['anon', 'authenticated', 'service_role']

/** The matrix of one relation, cell by cell. */
async function* outcomesOf(relation: string): AsyncGenerator<Outcome> {
  const probe = inSql(world)
  for (const cell of [...cellsOf(relation), ...unfilteredCellsOf(relation)]) {
    for (const actor of actors) yield await probe(actor, cell)
  }
}

/** The changes to the schema that the matrix does not show. Each is rolled back. */
async function survivorsOf(mutants: Mutant[]): Promise<string[]> {
  const survivors: string[] = []
  const truths = new Map<string, Outcome[]>()
  for (const { table, sql } of mutants) {
    await world.superuser.query('begin')
    const truth = truths.get(table) ?? (await all(outcomesOf(table)))
    truths.set(table, truth)
    await world.superuser.query(sql)
    if (!(await differs(outcomesOf(table), truth))) survivors.push(sql)
    await world.superuser.query('rollback')
  }
  return survivors
}

async function all(outcomes: AsyncGenerator<Outcome>): Promise<Outcome[]> {
  const list: Outcome[] = []
  for await (const outcome of outcomes) list.push(outcome)
  return list
}

async function differs(outcomes: AsyncGenerator<Outcome>, truth: Outcome[]): Promise<boolean> {
  let index = 0
  for await (const outcome of outcomes) if (outcome !== truth[index++]) return true
  return false
}

async function policies(): Promise<
  { name: string; table: string; cmd: string; qual: string | null; check: string | null }[]
> {
  return server.sql(
    `select policyname as name, tablename as table, cmd, qual, with_check as check from pg_policies
     where schemaname = 'app' and roles && $1::name[] order by tablename, policyname`,
    [apiRoles],
  )
}

it('the check notices every missing policy', async () => {
  const mutants = (await policies()).map(({ name, table }) => ({
    table,
    sql: `drop policy ${name} on app.${table}`,
  }))
  expect(mutants.length).toBeGreaterThan(30)
  expect(await survivorsOf(mutants)).toEqual([])
})

it('the check notices every policy that allows every row', async () => {
  const mutants: Mutant[] = []
  for (const { name, table, qual, check } of await policies()) {
    if (qual && qual !== 'true')
      mutants.push({ table, sql: `alter policy ${name} on app.${table} using (true)` })
    if (check && check !== 'true')
      mutants.push({ table, sql: `alter policy ${name} on app.${table} with check (true)` })
  }
  expect(mutants.length).toBeGreaterThan(30)
  // Another rule comes first in these: a trigger refuses a foreign owner before the policy can, or the owner column is
  // not granted for update, so that the row was the caller's own (or the caller an admin) before the change.
  expect(await survivorsOf(mutants)).toEqual([
    'alter policy own_insert on app.bio_pages with check (true)',
    'alter policy own_update on app.bio_pages with check (true)',
    'alter policy own_update on app.domains with check (true)',
    'alter policy own_update on app.leads with check (true)',
    'alter policy own_or_admin_update on app.profiles with check (true)',
    'alter policy own_all on app.shared_reports with check (true)',
    'alter policy own_insert on app.shortened_urls with check (true)',
    'alter policy own_update on app.shortened_urls with check (true)',
    'alter policy admin_insert on app.user_roles with check (true)',
    'alter policy admin_update on app.user_roles with check (true)',
  ])
})

it('the check notices every missing privilege', async () => {
  const mutants = await server.sql<Mutant>(
    `select c.relname as table, format('revoke %s on app.%I from %I', verb, c.relname, role) as sql
     from pg_class c, unnest($1::text[]) as role, unnest('{select,insert,update,delete}'::text[]) as verb
     where c.relnamespace = 'app'::regnamespace and c.relname = any ($2)
       and case verb when 'delete' then has_table_privilege(role, c.oid, verb) else has_any_column_privilege(role, c.oid, verb) end
     order by 1, 2`,
    [apiRoles, [...apiCatalog.relations.keys()]],
  )
  expect(mutants.length).toBeGreaterThan(50)
  expect(await survivorsOf(mutants)).toEqual([])
})

it('the check notices every column that people may write besides those signed off', async () => {
  const mutants: Mutant[] = []
  for (const [table, { columns, access }] of apiCatalog.relations) {
    for (const verb of ['insert', 'update'] as const) {
      const writable = access.authenticated?.[verb]
      const expressions = columns.filter((column) => !access.service_role?.[verb]?.includes(column))
      for (const column of writable ? columns : []) {
        if (writable?.includes(column) || expressions.includes(column)) continue
        mutants.push({ table, sql: `grant ${verb} (${column}) on app.${table} to authenticated` })
      }
    }
  }
  expect(mutants.length).toBeGreaterThan(15)
  // A trigger writes plans, by the grants of its view.
  expect(await survivorsOf(mutants)).toEqual([
    'grant update (user_id) on app.user_plans to authenticated',
  ])
})
