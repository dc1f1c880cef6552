import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiSourceId, apiSourceIds, importSource } from '#domain/transfer/sources.ts'
import { type Config, createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { makeUser } from '../factories.ts'
import { startTestServer, type TestServer } from '../server.ts'
import { importsOf } from './import-client.ts'
import { makeRecords, type SourceServer, startSourceServer } from './source-servers.ts'

// Imports from services, to the end: token, dry run, job.

const { imports: defaults } = createConfig(parseVariables({ WEBHOOK_PRIVATE_ADDRESSES: 'on' }))
/** Addresses of the services, filled in as they start. */
const apiOrigins: Config['imports']['apiOrigins'] = {}

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ imports: { ...defaults, apiOrigins } })
})
afterAll(() => server.close())

async function openService(source: ApiSourceId, count: number, pageSize = 7) {
  const service = await startSourceServer(source, makeRecords(source, count), { pageSize })
  if (importSource(source).server === undefined) apiOrigins[source] = service.origin
  const user = await makeUser(server, { plan: 'business' })
  const imports = importsOf(server, user)
  const start = (token = service.token) =>
    imports.ask(
      '',
      imports.json({
        source,
        token,
        ...(importSource(source).server !== undefined && { server: service.origin }),
      }),
    )
  return { service, user, imports, start }
}

const idOf = async (response: Response) => ((await response.json()) as { id: string }).id

const sealed = (id: string) =>
  server.sql<{ access: string | null }>('select access from app.imports where id = $1', [id])

describe.each(apiSourceIds)('%s with a token', (source) => {
  test(`brings every link of ${source}, and keeps no token`, async () => {
    const { service, user, imports, start } = await openService(source, 20)
    const id = await idOf(await start())
    expect((await sealed(id))[0]?.access ?? '').not.toContain(service.token)
    const shown = await imports.until(id, 'ready', 'failed')
    expect(shown).toMatchObject({ state: 'ready', source })
    const { made = 0, refused = 0 } = shown.totals
    expect(made + refused).toBe(shown.rows)
    expect(made).toBeGreaterThanOrEqual(20)
    expect(await sealed(id)).toEqual([{ access: null }])
    const done = await imports.run(id, { codes: 'random' })
    expect(done).toMatchObject({ state: 'done', results: { made } })
    const links = await server.sql(
      'select from app.shortened_urls where user_id = $1 and former_url is not null',
      [user.id],
    )
    expect(links).toHaveLength(made)
    await service.close()
  })
})

async function expectFailure(
  arrange: (service: SourceServer) => void,
  notice: RegExp,
  token?: string,
) {
  const { service, imports, start } = await openService('kutt', 20)
  arrange(service)
  const id = await idOf(await start(token))
  const shown = await imports.until(id, 'failed', 'ready')
  expect(shown).toMatchObject({ state: 'failed' })
  expect(shown.notice).toMatch(notice)
  expect(await sealed(id)).toEqual([{ access: null }])
  await service.close()
}

test('a wrong token ends the import with a sentence', () =>
  expectFailure(() => {}, /token/i, 'another token'))

test('a token that expires in the middle ends the import with a sentence', () =>
  expectFailure((service) => {
    service.requestsLeft = 1
  }, /token/i))

test('a service that asks to wait is asked again after the time that it names', async () => {
  const { service, imports, start } = await openService('kutt', 20)
  service.odd.push(undefined, { status: 429, headers: { 'retry-after': '1' } })
  const id = await idOf(await start())
  expect(await imports.until(id, 'ready', 'failed')).toMatchObject({
    state: 'ready',
    totals: { made: 20 },
  })
  await service.close()
})

test('a page that is read twice after a crash leaves each row once', async () => {
  const { service, imports, start } = await openService('kutt', 20)
  // The service asks to wait before the second page: meanwhile rows of it are left behind, as a killed process leaves them.
  service.odd.push(undefined, { status: 429, headers: { 'retry-after': '2' } })
  const id = await idOf(await start())
  await expect.poll(async () => (await imports.show(id)).notice).toMatch(/wait/)
  await server.sql(
    `insert into app.import_rows (import_id, place, record)
      select $1, place, '{"target": "https://twice.example", "address": "twice"}' from generate_series(8, 10) place`,
    [id],
  )
  expect(await imports.until(id, 'ready', 'failed')).toMatchObject({
    rows: 20,
    totals: { made: 20 },
  })
  await service.close()
})

test('one account has one import at work at a time', async () => {
  const { service, imports, start } = await openService('kutt', 20)
  service.odd.push({ status: 429, headers: { 'retry-after': '60' } })
  const id = await idOf(await start())
  const second = await start()
  expect(second.status).toBe(409)
  expect(await second.json()).toMatchObject({ error: expect.stringMatching(/under way/) })
  expect((await imports.ask(`/${id}`, { method: 'DELETE' })).status).toBe(204)
  expect((await start()).status).toBe(201)
  await service.close()
})
