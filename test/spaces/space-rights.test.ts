import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OAuthScope } from '#domain/access/oauth-scopes.ts'
import { rightsOfRole, type SpaceRole, spaceRoles } from '#domain/access/space-roles.ts'
import { functionRoutes } from '#server/functions/door.ts'
import { mediaRoutes } from '#server/media/door.ts'
import { allTools } from '#server/mcp/tools/all.ts'
import type { FunctionRules, RelationRules } from '#server/tables/rule-types.ts'
import { apiRules } from '#server/tables/rules.ts'
import { archiveRoutes } from '#server/transfer/archive/archive-routes.ts'
import { importRoutes } from '#server/transfer/import-routes.ts'
import { webhookRoutes } from '#server/webhooks/routes.ts'
import { apiCatalog } from '#test/catalog.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount } from '#test/tables/accounts.ts'
import { actingFor, makeSpace, type TestSpace } from './space-client.ts'

// Rights in a space at every door: each relation and verb, procedure, function, image and tool, from the catalog and
// the route tables, so that a later one cannot be forgotten. space-rights.txt is the readable matrix; run with `-u` to sign a change.

type Outcome = 'open' | 'closed' | 'foreign'
const actors = [...spaceRoles, 'former', 'stranger'] as const
type Actor = (typeof actors)[number]

interface Operation {
  name: string
  method: string
  path: string
}

const none = '00000000-0000-4000-8000-000000000000'
const doors = [
  ['functions/v1', [...functionRoutes, ...webhookRoutes, ...importRoutes, ...archiveRoutes]],
  ['media', mediaRoutes],
] as const

const verbs = [
  ['read', 'GET'],
  ['insert', 'POST'],
  ['update', 'PATCH'],
  ['delete', 'DELETE'],
] as const

const operations: Operation[] = [
  ...[...apiCatalog.relations.values()].flatMap(({ name, access, columns }) =>
    verbs
      .filter(([verb]) => access.authenticated?.[verb === 'read' ? 'select' : verb] !== undefined)
      .map(([verb, method]) => ({
        name: `${verb} ${name}`,
        method,
        path: `rest/v1/${name}?${columns[0]}=eq.${none}`,
      })),
  ),
  ...[...apiCatalog.functions.keys()].map((name) => ({
    name: `call ${name}`,
    method: 'POST',
    path: `rest/v1/rpc/${name}`,
  })),
  ...doors.flatMap(([prefix, routes]) =>
    routes
      .filter(({ facts }) => facts.caller === 'person')
      .map(({ method, path }) => ({
        name: `${method} /${prefix}${path.replace(/\{.*$/, '')}`,
        method,
        path: `${prefix}${path.replace(/:file\{.*$/, `${'0'.repeat(64)}.webp`).replaceAll(/:\w+/g, none)}`,
      })),
  ),
  ...[
    ['GET', 'user/api-keys'],
    ['POST', 'user/api-keys'],
    ['DELETE', `user/api-keys/${none}`],
    ['GET', 'user/export'],
  ].map(([method = '', path = '']) => ({
    name: `${method} /auth/v1/${path.replace(none, ':id')}`,
    method,
    path: `auth/v1/${path}`,
  })),
]

let server: TestServer
let space: TestSpace
let who: Record<Actor, Account>
beforeAll(async () => {
  server = await startTestServer()
  space = await makeSpace(server)
  const [owner, editor, viewer, former] = [
    await space.join('owner'),
    await space.join('editor'),
    await space.join('viewer'),
    await space.join('viewer'),
  ]
  const stranger = actingFor(space.id, await makeAccount(server))
  who = { owner, editor, viewer, former, stranger }
  await server.sql('delete from app.members where account_id = $1 and person_id = $2', [
    space.id,
    former.id,
  ])
})
afterAll(() => server.close())

async function ask(operation: Operation, actor: Actor): Promise<Outcome> {
  const { method, path } = operation
  const response = await fetch(`${server.url}/${path}`, {
    method,
    headers: {
      ...who[actor].headers,
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
    },
    ...(method !== 'GET' && { body: '{}' }),
    signal: AbortSignal.timeout(20_000),
  })
  // A stream has no end.
  const body = response.status === 200 ? '' : await response.text()
  await response.body?.cancel().catch(() => {})
  if (/You are not a member of this account/.test(body)) return 'foreign'
  if (/Your role in this space does not allow this/.test(body)) return 'closed'
  if (operation.name === 'call leave_space' && actor in rightsOfRole)
    await server.sql(
      'insert into app.members (account_id, person_id, role) values ($1, $2, $3) on conflict do nothing',
      [space.id, who[actor].id, actor],
    )
  return 'open'
}

async function outcomesOf(operation: Operation): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const actor of actors) outcomes.push(await ask(operation, actor))
  return outcomes
}

const line = (name: string, outcomes: readonly string[]) =>
  `${name.padEnd(52)} ${outcomes.map((outcome) => outcome.padEnd(8)).join('')}`.trimEnd()

const path = fileURLToPath(new URL('space-rights.txt', import.meta.url))

it(
  'rights of each role equal the readable matrix, at every door',
  { timeout: 240_000 },
  async () => {
    const lines = [line('', actors)]
    for (const operation of operations)
      lines.push(line(operation.name, await outcomesOf(operation)))
    for (const { name, scopes } of allTools)
      lines.push(
        line(
          `tool ${name}`,
          spaceRoles.map((role) => outcomeOfTool(role, scopes)),
        ),
      )
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(path)
  },
)

/** Tools ask the table door as the person's app, with the scopes that the role has too (tokens.ts, `rightsOf`). */
function outcomeOfTool(role: SpaceRole, scopes: readonly OAuthScope[]): Outcome {
  const rights = rightsOfRole[role]
  return scopes.every((scope) => rights?.includes(scope) ?? true) ? 'open' : 'closed'
}

async function signed(): Promise<Map<string, string>> {
  const rows = (await readFile(path, 'utf8')).trimEnd().split('\n')
  return new Map(rows.map((row) => [row.slice(0, 52).trim(), row]))
}

/** Whether some of these operations differ from the signed matrix. */
async function isNoticed(some: readonly Operation[]): Promise<boolean> {
  const matrix = await signed()
  for (const operation of some) {
    const found = line(operation.name, await outcomesOf(operation))
    if (found !== matrix.get(operation.name)) return true
  }
  return false
}

it(
  'the matrix notices each rule of a role that is gone',
  { tags: ['extended'], timeout: 600_000 },
  async () => {
    const survivors: string[] = []
    const matrix = await signed()
    /** Whether viewers have each of these. */
    const areOpen = (some: readonly Operation[]) =>
      some.some(({ name }) => /^open +\S+ +open/.test(matrix.get(name)?.slice(53) ?? ''))
    const all = { read: 'links:read', write: 'links:read' } as const
    const relations = apiRules.relations as Record<string, RelationRules>
    for (const name of apiCatalog.relations.keys()) {
      const some = operations.filter((one) => one.path.startsWith(`rest/v1/${name}?`))
      const before = relations[name]
      relations[name] = { ...before, members: areOpen(some) ? 'owners' : all }
      if (!(await isNoticed(some))) survivors.push(name)
      if (before === undefined) delete relations[name]
      else relations[name] = before
    }
    const functions = apiRules.functions as Record<string, FunctionRules>
    for (const name of apiCatalog.functions.keys()) {
      const before = functions[name]
      const some = operations.filter((one) => one.name === `call ${name}`)
      functions[name] = { ...before, members: areOpen(some) ? 'owners' : 'everyone' }
      if (!(await isNoticed(some))) survivors.push(`call ${name}`)
      if (before === undefined) delete functions[name]
      else functions[name] = before
    }
    expect(survivors).toEqual([])
  },
)

it('the matrix notices a role with other rights, and a membership that nobody checks', async () => {
  const some = operations.filter(({ name }) =>
    [
      'read tags',
      'insert tags',
      'read leads',
      'call search_links',
      'POST /media/uploads',
      'GET /functions/v1/webhooks',
      'GET /functions/v1/live',
    ].includes(name),
  )
  expect(some).toHaveLength(7)
  expect(await isNoticed(some)).toBe(false)
  const roles = rightsOfRole as Record<SpaceRole, readonly OAuthScope[] | undefined>
  for (const role of ['editor', 'viewer'] as const) {
    const before = roles[role]
    roles[role] = undefined
    expect(await isNoticed(some), role).toBe(true)
    roles[role] = before
  }
  // The door knows strangers; only the database knows that it is wrong about them.
  const { definition } = await definitionOf('auth.require_member')
  await server.sql(
    `create or replace function auth.require_member(present text, remembered text) returns void language sql as $$ select $$`,
  )
  await server.sql('alter table app.members disable trigger notify')
  const removed = await space.join('viewer')
  await ask({ name: '', method: 'GET', path: 'rest/v1/tags' }, 'viewer')
  who.viewer = removed
  expect(await ask({ name: '', method: 'GET', path: 'rest/v1/tags' }, 'viewer')).toBe('open')
  await server.sql('delete from app.members where account_id = $1 and person_id = $2', [
    space.id,
    removed.id,
  ])
  const request = () => fetch(`${server.url}/rest/v1/tags`, { headers: removed.headers })
  expect((await request()).status).toBe(200)
  await server.sql(definition)
  expect((await request()).status).toBe(403)
  await server.sql('alter table app.members enable trigger notify')
})

async function definitionOf(name: string): Promise<{ definition: string }> {
  const [row] = await server.sql<{ definition: string }>(
    `select pg_get_functiondef($1::regproc) as definition`,
    [name],
  )
  if (!row) throw new Error(`no function ${name}`)
  return row
}
