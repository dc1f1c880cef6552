/** @module-tag extended */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { apiKeyScopes } from '#domain/access/api-keys.ts'
import type { FunctionRules, RelationRules } from '#server/tables/rule-types.ts'
import { apiRules } from '#server/tables/rules.ts'
import { newApiKeyText } from '#server/tokens/api-key-text.ts'
import { apiCatalog } from '#test/catalog.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { sendPatiently } from '../accounts.ts'
import { type Cell, makeWorld, type Outcome, overHttpWith, stateOf, type World } from './matrix.ts'
import { expectSigned } from './signed-matrix.ts'

// The rights of API keys on Ann's rows: Ann's keys with each scope alone and with all, and those of Bob and an admin with all.

interface KeyOwner {
  name: string
  headers: Record<string, string>
}

const relations = [...apiCatalog.relations.keys()]
const functions = [...apiCatalog.functions.keys()]

let server: TestServer
let world: World
let keys: KeyOwner[]
let ask: ReturnType<typeof overHttpWith>
beforeAll(async () => {
  server = await startTestServer()
  world = await makeWorld(server)
  const { owner, other, admin } = world.accounts
  const all = apiKeyScopes.join(' ')
  keys = [
    ...(await Promise.all(apiKeyScopes.map((scope) => makeKey(scope, owner.id, scope)))),
    await makeKey('all', owner.id, all),
    await makeKey('all of Bob', other.id, all),
    await makeKey('all of admin', admin.id, all),
  ]
  ask = overHttpWith(world, await stateOf(world))
})
afterAll(async () => {
  await world.close()
  await server.close()
})

async function makeKey(name: string, owner: string, scope: string): Promise<KeyOwner> {
  const { text, hash, hint } = newApiKeyText()
  await server.sql(
    'insert into auth.api_keys (user_id, name, hash, hint, scope) values ($1, $2, $3, $4, $5)',
    [owner, name, hash, hint, scope],
  )
  return { name, headers: { authorization: `Bearer ${text}` } }
}

/** Every column to read; of each verb that writes, a column that people may write. */
function cellsOfKeys(relation: string): Cell[] {
  const { columns = [], access } = apiCatalog.relations.get(relation) ?? {}
  const first = (verb: 'insert' | 'update') =>
    access?.authenticated?.[verb]?.find((column) => !column.endsWith('id')) ?? columns[0] ?? 'id'
  return [
    ...columns.map((column): Cell => ({ relation, verb: 'select', column })),
    { relation, verb: 'insert', column: first('insert') },
    { relation, verb: 'update', column: first('update') },
    { relation, verb: 'delete', column: '*' },
  ]
}

async function* outcomesOfRelation(relation: string): AsyncGenerator<[string, Outcome[]]> {
  for (const cell of cellsOfKeys(relation)) {
    const outcomes: Outcome[] = []
    for (const key of keys) outcomes.push(await ask(key, cell))
    yield [`${relation} ${cell.verb} ${cell.column}`, outcomes]
  }
}

/** `open`, whatever it then says to a call without arguments, or `denied`. */
async function* outcomesOfFunction(name: string): AsyncGenerator<[string, Outcome[]]> {
  const outcomes: Outcome[] = []
  for (const key of keys) {
    const { body } = await sendPatiently(server, key, 'POST', `rpc/${name}`, {})
    const code = (body as { code?: string } | null)?.code
    outcomes.push(code === 'insufficient_scope' ? 'denied' : 'open')
  }
  yield [`rpc call ${name}`, outcomes]
}

it('rights of keys equal the signed table', async () => {
  const found = new Map<string, string>()
  const add = ([name, outcomes]: [string, Outcome[]]) => found.set(name, outcomes.join(' '))
  for (const relation of relations)
    for await (const outcome of outcomesOfRelation(relation)) add(outcome)
  for (const name of functions) for await (const outcome of outcomesOfFunction(name)) add(outcome)
  const signed = {
    path: fileURLToPath(new URL('key-matrix.txt', import.meta.url)),
    name: { relation: 20, verb: 8, column: 28 },
    callers: keys.map(({ name }) => name),
    width: 15,
    isNamed: (name: string) => name.startsWith('rpc call '),
  }
  await expectSigned(signed, found)
})

/** Whether the outcomes are others than these, as soon as one is. */
async function differs(
  outcomes: AsyncGenerator<[string, Outcome[]]>,
  truth: ReadonlyMap<string, Outcome[]>,
): Promise<boolean> {
  for await (const [name, found] of outcomes)
    if (found.join(' ') !== truth.get(name)?.join(' ')) return true
  return false
}

async function truthOf(outcomes: AsyncGenerator<[string, Outcome[]]>) {
  const truth = new Map<string, Outcome[]>()
  for await (const [name, found] of outcomes) truth.set(name, found)
  return truth
}

/** Runs `look` while a rule of the running server is another one. */
async function withRule<Rules, Result>(
  rules: Record<string, Rules>,
  name: string,
  changed: Rules,
  look: () => Promise<Result>,
): Promise<Result> {
  const before = rules[name]
  rules[name] = changed
  try {
    return await look()
  } finally {
    if (before === undefined) delete rules[name]
    else rules[name] = before
  }
}

it('the check notices every check of a scope that asks for another scope, or for one where all is closed', async () => {
  const survivors: string[] = []
  const ofRelations = apiRules.relations as Record<string, RelationRules>
  for (const name of relations) {
    const truth = await truthOf(outcomesOfRelation(name))
    const rules = ofRelations[name] ?? {}
    for (const verb of ['read', 'write'] as const) {
      const closed = { read: 'profile', write: 'profile' } as const
      const other = rules.apps?.[verb] === 'analytics:read' ? 'links:read' : 'analytics:read'
      const apps = { ...(rules.apps ?? closed), [verb]: other } as const
      const hasChanged = await withRule(ofRelations, name, { ...rules, apps }, () =>
        differs(outcomesOfRelation(name), truth),
      )
      if (!hasChanged) survivors.push(`${verb} ${name}`)
    }
  }
  const ofFunctions = apiRules.functions as Record<string, FunctionRules>
  for (const name of functions) {
    const truth = await truthOf(outcomesOfFunction(name))
    const rules = ofFunctions[name] ?? {}
    const { apps = [] } = rules
    const other = apps.includes('links:read') ? 'bio:read' : 'links:read'
    const changed = { ...rules, apps: [...apps, other] as const, appsNeedAll: false }
    const hasChanged = await withRule(ofFunctions, name, changed, () =>
      differs(outcomesOfFunction(name), truth),
    )
    if (!hasChanged) survivors.push(`call ${name}`)
  }
  // The grants close these writes as well, or a key cannot name its row; list_links returns links, and their rule is asked too.
  expect(survivors).toEqual([
    'write commissions',
    'write invitations',
    'write link_moves',
    'write members',
    'write profiles',
    'write spaces',
    'write user_plans',
    'write user_roles',
    'write user_usage',
    'call list_links',
  ])
})
