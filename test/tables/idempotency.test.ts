import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount } from './accounts.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

/** Creates a link as the web app does, with the key of the form's attempt. */
async function create(
  who: Account,
  key: string | undefined,
  row: object | object[],
  single = true,
) {
  const response = await fetch(`${server.url}/rest/v1/shortened_urls?select=id,short_code`, {
    method: 'POST',
    headers: {
      ...who.headers,
      'content-type': 'application/json',
      prefer: 'return=representation',
      ...(single && { accept: 'application/vnd.pgrst.object+json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(row),
  })
  const body = (await response.json()) as Record<string, unknown>
  return { status: response.status, replayed: response.headers.get('idempotency-replayed'), body }
}

async function used(who: Account) {
  const [row] = await server.sql<{ links: number; counted: number }>(
    `select (select count(*)::int from app.shortened_urls where user_id = $1) as links, total_shortened_urls as counted
     from app.user_usage where user_id = $1`,
    [who.id],
  )
  return row
}

describe('an insert that comes twice with one Idempotency-Key', () => {
  it('makes one link, charges it once and answers both times with it', async () => {
    const ann = await makeAccount(server)
    const key = randomUUID()
    const row = { user_id: ann.id, original_url: 'https://example.com/once' }
    const first = await create(ann, key, row)
    const second = await create(ann, key, row)
    expect(first).toMatchObject({ status: 201, replayed: null })
    expect(second).toMatchObject({ status: 201, replayed: 'true', body: first.body })
    expect(await used(ann)).toEqual({ links: 1, counted: 1 })
  })

  it('control: makes two without a key, and two with two keys', async () => {
    const ann = await makeAccount(server)
    const row = { user_id: ann.id, original_url: 'https://example.com/twice' }
    for (const key of [undefined, undefined, randomUUID(), randomUUID()]) {
      expect(await create(ann, key, row)).toMatchObject({ status: 201, replayed: null })
    }
    expect(await used(ann)).toEqual({ links: 4, counted: 4 })
  })

  it('finds the link also when it took the last place, or a code of its own', async () => {
    const ann = await makeAccount(server)
    await server.sql(
      `insert into app.shortened_urls (user_id, original_url) select $1, 'https://example.com/' || n from generate_series(1, 49) n`,
      [ann.id],
    )
    const key = randomUUID()
    const row = {
      user_id: ann.id,
      original_url: 'https://example.com/last',
      short_code: `Last-${key.slice(0, 8)}`,
    }
    const first = await create(ann, key, row)
    expect(first.status).toBe(201)
    expect(await create(ann, key, row)).toMatchObject({ status: 201, body: first.body })
    expect(await create(ann, randomUUID(), row)).toMatchObject({
      status: 400,
      body: { message: 'Limit Reached' },
    })
  })

  it('makes one link when 20 come at once', async () => {
    const ann = await makeAccount(server)
    const key = randomUUID()
    const row = { user_id: ann.id, original_url: 'https://example.com/at-once' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(ann, key, row)))
    expect(new Set(answers.map(({ status, body }) => `${status} ${String(body.id)}`)).size).toBe(1)
    expect(answers.filter(({ replayed }) => replayed === null)).toHaveLength(1)
    expect(await used(ann)).toEqual({ links: 1, counted: 1 })
  })

  it('is refused with another address or code, and belongs to its account alone', async () => {
    const [ann, bob] = [await makeAccount(server), await makeAccount(server)]
    const key = randomUUID()
    const row = { user_id: ann.id, original_url: 'https://example.com/mine' }
    const first = await create(ann, key, row)
    const reused = { status: 409, body: { code: 'PT409', hint: 'idempotency_key_reused' } }
    expect(
      await create(ann, key, { ...row, original_url: 'https://example.com/other' }),
    ).toMatchObject(reused)
    expect(await create(ann, key, { ...row, short_code: `code-${key.slice(0, 8)}` })).toMatchObject(
      reused,
    )
    const hers = await create(bob, key, { ...row, user_id: bob.id })
    expect(hers).toMatchObject({ status: 201, replayed: null })
    expect(hers.body.id).not.toBe(first.body.id)
  })

  it('is refused when the key is not a UUID or the request holds two rows', async () => {
    const ann = await makeAccount(server)
    const row = { user_id: ann.id, original_url: 'https://example.com/bad' }
    const bad = { status: 400, body: { code: 'PGRST102' } }
    expect(await create(ann, 'again', row)).toMatchObject(bad)
    expect(await create(ann, randomUUID(), [row, row], false)).toMatchObject(bad)
    expect(await used(ann)).toEqual({ links: 0, counted: 0 })
  })
})
