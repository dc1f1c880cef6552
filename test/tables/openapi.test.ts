import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, expect, it } from 'vitest'
import { describeApi } from '#server/commands/describe-api.ts'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { apiCatalog } from '#test/catalog.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from './accounts.ts'

/** The description of the table door, as a caller of each role gets it. */

interface Operation {
  operationId: string
  responses?: Record<string, unknown>
  description?: string
  requestBody?: { content: { 'application/json': { schema: Record<string, unknown> } } }
}
interface Description {
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, { properties: Record<string, unknown>; required?: string[] }>
  }
}

let server: TestServer
let ann: Account
let callers: Record<string, { headers: Record<string, string> } | undefined>
beforeAll(async () => {
  server = await sharedServer()
  ann = await makeAccount(server)
  callers = {
    anon: undefined,
    authenticated: ann,
    admin: await makeAccount(server, { role: 'admin' }),
    service_role: { headers: { authorization: `Bearer ${server.serviceRoleKey}` } },
  }
})
const describeFor = async (who: string) => {
  const { status, body, headers } = await send(server, callers[who], 'GET', '')
  expect([status, headers.get('content-type')]).toEqual([
    200,
    'application/openapi+json; charset=utf-8',
  ])
  return body as Description
}

it.each(['anon', 'authenticated', 'admin', 'service_role'] as const)(
  'the description is valid OpenAPI 3.1 for %s, with all granted operations and nothing else',
  async (who) => {
    const role = who === 'admin' ? 'authenticated' : who
    const document = await describeFor(who)
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    const verbs = { select: 'get', insert: 'post', update: 'patch', delete: 'delete' } as const
    const granted = [...apiCatalog.relations.values()].flatMap(({ name, access }) =>
      Object.entries(verbs).flatMap(([verb, method]) =>
        access[role]?.[verb as keyof typeof verbs] ? [`${method} /${name}`] : [],
      ),
    )
    const callable = [...apiCatalog.functions.values()]
      .filter(({ roles }) => roles.includes(role))
      .filter(({ name }) => who !== 'authenticated' || !name.startsWith('admin_'))
      .flatMap(({ name, stable }) => [...(stable ? [`get /rpc/${name}`] : []), `post /rpc/${name}`])
    expect(operations.toSorted()).toEqual([...granted, ...callable].toSorted())
    for (const [name, { properties }] of Object.entries(document.components.schemas))
      if (name !== 'Error')
        expect([name, Object.keys(properties)]).toEqual([
          name,
          apiCatalog.relations
            .get(name)
            ?.columns.filter((column) =>
              apiCatalog.relations.get(name)?.access[role]?.select?.includes(column),
            ),
        ])
  },
)

it('the description describes the 200 of an upsert that only changes rows', async () => {
  const { paths } = await describeFor('authenticated')
  const upserts = paths['/shortened_urls']?.['post']?.responses
  expect(Object.keys(upserts ?? {})).toEqual(['200', '201', 'default'])
})

it('the description describes the 204 of a change without rows, as the door answers', async () => {
  const { paths } = await describeFor('authenticated')
  const link = paths['/shortened_urls']
  for (const method of ['patch', 'delete'] as const)
    expect(Object.keys(link?.[method]?.responses ?? {})).toEqual(['200', '204', 'default'])
  // The control.
  expect(Object.keys(link?.get?.responses ?? {})).toEqual(['200', 'default'])
})

it('the description names the columns that an insert must have, and refuses one without them', async () => {
  const { paths } = await describeFor('authenticated')
  const required = Object.entries(paths).flatMap(([path, { post }]) => {
    const [row] = (post?.requestBody?.content['application/json'].schema['oneOf'] ?? []) as {
      required?: string[]
    }[]
    return row ? [[path, row.required ?? []] as const] : []
  })
  expect(Object.fromEntries(required)).toMatchInlineSnapshot(`
    {
      "/affiliate_codes": [
        "code",
      ],
      "/bio_links": [
        "bio_page_id",
      ],
      "/bio_pages": [
        "slug",
        "title",
      ],
      "/bio_social_links": [
        "bio_page_id",
        "platform",
        "url",
      ],
      "/day_notes": [
        "day",
        "text",
      ],
      "/domains": [
        "host",
      ],
      "/link_expectations": [
        "link_id",
        "name",
        "visit",
        "expected_url",
      ],
      "/popups": [
        "title",
      ],
      "/qr_looks": [
        "name",
        "look",
      ],
      "/shared_reports": [],
      "/shortened_urls": [
        "original_url",
      ],
      "/tags": [
        "name",
      ],
      "/user_roles": [
        "user_id",
      ],
      "/utm_templates": [
        "name",
      ],
    }
  `)
  const whole = {
    shortened_urls: { original_url: 'https://example.com/' },
    popups: { title: 'Hello' },
  }
  for (const [relation, row] of Object.entries(whole)) {
    expect(await send(server, ann, 'POST', relation, {})).toMatchObject({
      status: 400,
      body: { code: '23502' },
    })
    expect((await send(server, ann, 'POST', relation, row)).status).toBe(201)
  }
})

it('the description says of a row which columns it has, which may be null, and which values a choice has', async () => {
  const { components } = await describeFor('authenticated')
  const { popups } = components.schemas
  expect(popups?.required).toEqual(Object.keys(popups?.properties ?? {}))
  expect(popups?.properties).toMatchObject({
    title: { type: 'string' },
    cta_url: { type: ['string', 'null'] },
    shadow_style: { type: 'string', enum: ['none', 'soft', 'medium', 'bold'] },
  })
  expect(components.schemas['commissions']?.properties['tier']).toEqual({
    type: 'integer',
    format: 'int32',
    enum: [1, 2],
  })
})

it('everything that people use has a description', async () => {
  const { paths } = await describeFor('authenticated')
  const silent = Object.entries(paths)
    .filter(([path]) => !path.includes('admin_'))
    .filter(([, methods]) => !Object.values(methods).every(({ description }) => description))
    .map(([path]) => path)
  expect(silent).toEqual([])
})

it('the description matches its description: every relation and every procedure is there', async () => {
  const { paths } = await describeFor('authenticated')
  for (const [path, methods] of Object.entries(paths)) {
    const method = methods['get'] ? 'GET' : 'POST'
    const answer = await send(
      server,
      ann,
      method,
      path.slice(1),
      method === 'POST' ? {} : undefined,
    )
    // A call without its arguments is one that no function takes.
    const missing = answer.status === 404 && (answer.body as { code: string }).code === 'PGRST202'
    expect([path, missing && !path.startsWith('/rpc/')]).toEqual([path, false])
    expect([path, answer.status]).not.toEqual([path, 405])
    expect([path, answer.status >= 500]).toEqual([path, false])
  }
})

it('the description is printed by a command', async () => {
  const config = createConfig(
    parseVariables({ DATABASE_URL: server.databaseUrl, PUBLIC_URL: 'https://go.example' }),
  )
  const text = await describeApi(['openapi'], config, createLog('fatal'))
  const printed = JSON.parse(text) as Description
  expect(printed.servers).toEqual([{ url: 'https://go.example/rest/v1' }])
  expect(printed.paths).toEqual((await describeFor('authenticated')).paths)
  await expect(describeApi(['openapi', 'root'], config, createLog('fatal'))).rejects.toThrow(
    'Usage',
  )
})
