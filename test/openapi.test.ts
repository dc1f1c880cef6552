import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { authRoutes } from '#server/auth/door.ts'
import { functionRoutes } from '#server/functions/door.ts'
import { describeDoor } from '#server/http/openapi.ts'
import { archiveRoutes } from '#server/transfer/archive/archive-routes.ts'
import { importRoutes } from '#server/transfer/import-routes.ts'
import { webhookRoutes } from '#server/webhooks/routes.ts'
import { ask, callBy, describeFor, type Description, type Door } from './description.ts'
import { makeUser, type TestUser } from './factories.ts'
import { sharedServer, type TestServer } from './server.ts'

/** The descriptions of the auth door and of the functions, held against the doors themselves. */

const doors = {
  auth: authRoutes,
  functions: [...functionRoutes, ...webhookRoutes, ...importRoutes, ...archiveRoutes],
} as const
/** Calls that clients of the protocol may make, and this server never does. */
const refused = ['POST /sso', 'POST /token?grant_type=web3']

let server: TestServer
let ann: TestUser
let admin: TestUser
let callers: Record<string, Record<string, string>>
beforeAll(async () => {
  server = await sharedServer()
  ann = await makeUser(server)
  admin = await makeUser(server, { role: 'admin' })
  callers = {
    everyone: {},
    'a person': ann.headers,
    'an admin': admin.headers,
    'the operator': { authorization: `Bearer ${server.serviceRoleKey}` },
  }
})

function operationsOf({ paths }: Description) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  )
}

/** The routes as a description writes them, for callers that `sees` lets through. */
function routesOf(door: Door, sees: (caller: string | undefined) => boolean) {
  const routes = doors[door].filter(
    ({ method, path, facts }) => !refused.includes(`${method} ${path}`) && sees(facts.caller),
  )
  const names = routes.map(
    ({ method, path }) => `${method} ${path.split('?')[0]?.replaceAll(/:(\w+)/g, '{$1}')}`,
  )
  if (door === 'functions') names.push('GET /openapi.json')
  return [...new Set(names)].toSorted()
}

const seen = {
  everyone: { auth: ['person'], functions: ['person'] },
  'a person': { auth: ['person'], functions: ['person'] },
  'an admin': { auth: ['person'], functions: ['person', 'admin'] },
  'the operator': { auth: ['person', 'service_role'], functions: ['person', 'service_role'] },
} as const

it.each(
  (['auth', 'functions'] as const).flatMap((door) =>
    (Object.keys(seen) as (keyof typeof seen)[]).map((who) => ({ door, who })),
  ),
)('of $door is valid OpenAPI 3.1 for $who, with the routes that they may call', async (one) => {
  const { door, who } = one
  const document = await describeFor(server, door, callers[who])
  const { valid, errors } = await new Validator().validate(structuredClone({ ...document }))
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
  expect(document.servers).toEqual([{ url: `${server.url}/${door}/v1` }])
  const visible: readonly string[] = seen[who][door]
  const names = operationsOf(document).map(({ name }) => name)
  expect(names.toSorted()).toEqual(
    routesOf(door, (caller) => caller === undefined || visible.includes(caller)),
  )
})

it.each(['auth', 'functions'] as const)(
  'of %s refuses a token that is not genuine',
  async (door) => {
    const headers = { authorization: 'Bearer not.a.token' }
    expect((await ask(server, door, '/openapi.json', { headers })).status).toBe(
      door === 'auth' ? 403 : 401,
    )
  },
)

it.each(['auth', 'functions'] as const)(
  'of %s says which calls need a token: exactly those answer 401 without one',
  async (door) => {
    const document = await describeFor(server, door, callers['the operator'])
    const marked: string[] = []
    const refusing: string[] = []
    for (const { method, path, name, operation } of operationsOf(document)) {
      if (operation.security.length > 0) marked.push(name)
      const response = await ask(server, door, path.replaceAll(/\{\w+\}/g, crypto.randomUUID()), {
        method,
        ...(method !== 'GET' && { headers: { 'content-type': 'application/json' }, body: '{}' }),
      })
      await response.body?.cancel()
      // The endpoints of OAuth refuse an app without credentials in the same way.
      if (
        response.status === 401 &&
        operation.requestBody?.content['application/json'] !== undefined
      )
        refusing.push(name)
      else if (response.status === 401 && operation.requestBody === undefined) refusing.push(name)
    }
    expect(refusing).toEqual(marked)
    expect(marked.length).toBeGreaterThan(10)
  },
)

it.each(['auth', 'functions'] as const)(
  'of %s names the required fields of a body: without one the door refuses',
  async (door) => {
    const document = await describeFor(server, door, ann.headers)
    let count = 0
    for (const { method, path, name, operation } of operationsOf(document)) {
      const { required = [] } = operation.requestBody?.content['application/json']?.schema ?? {}
      if (required.length === 0) continue
      count += 1
      const response = await ask(server, door, path.replaceAll(/\{\w+\}/g, crypto.randomUUID()), {
        method,
        headers: { ...ann.headers, 'content-type': 'application/json' },
        body: '{}',
      })
      expect([name, [400, 422].includes(response.status)]).toEqual([name, true])
    }
    expect(count).toBeGreaterThan(4)
  },
)

it('the check notices a route without a description, and an answer that differs from its own (control)', async () => {
  const door = { title: '', description: '', address: '', error: z.object({}) }
  const routes = [{ method: 'GET', path: '/new', facts: {} }]
  expect(() => describeDoor({ ...door, routes, operations: {} }, () => true)).toThrow(
    'GET /new has no description',
  )
  const answers = { 200: z.object({ name: z.int() }) }
  const operations = { 'GET /health': { tag: '', summary: '', answers } }
  const health = [{ method: 'GET', path: '/health', facts: {} }]
  const lies = describeDoor({ ...door, routes: health, operations }, () => true)
  const visitor = callBy(server, lies as unknown as Description, 'auth', {})
  await expect(visitor('GET /health', '/health')).rejects.toThrow("[ 'GET /health', false")
})
