import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { request } from '#test/auth/requests.ts'
import { makeUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { deleteOldRows } from '#test/delete-old-rows.ts'
import { type Account, makeAccount, send } from '../accounts.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
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

  it('finds the link also when it took the last place, or a custom code', async () => {
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
    const reused = { status: 422, body: { code: 'PT422', hint: 'idempotency_key_reused' } }
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

  it('is refused when the key is empty or too long', async () => {
    const ann = await makeAccount(server)
    const row = { user_id: ann.id, original_url: 'https://example.com/bad' }
    const bad = { status: 400, body: { code: 'PGRST102' } }
    expect(await create(ann, '""', row)).toMatchObject(bad)
    expect(await create(ann, 'k'.repeat(256), row)).toMatchObject(bad)
    expect(await used(ann)).toEqual({ links: 0, counted: 0 })
  })

  it('may hold several rows, which are made once', async () => {
    const ann = await makeAccount(server)
    const rows = ['a', 'b'].map((path) => ({
      user_id: ann.id,
      original_url: `https://example.com/${path}`,
    }))
    const first = await create(ann, 'two rows', rows, false)
    expect(first.body).toHaveLength(2)
    expect(await create(ann, '"two rows"', rows, false)).toEqual({ ...first, replayed: 'true' })
    expect(await used(ann)).toEqual({ links: 2, counted: 2 })
  })
})

describe('any other write that comes twice with one Idempotency-Key', () => {
  const ask = async (who: Account, method: string, path: string, key: string, body?: object) => {
    const answer = await send(server, who, method, path, body, {
      prefer: 'return=representation',
      'idempotency-key': key,
    })
    return {
      status: answer.status,
      body: answer.body,
      replayed: answer.headers.get('idempotency-replayed'),
    }
  }

  it('changes, deletes and calls once', async () => {
    const ann = await makeAccount(server)
    const made = await ask(ann, 'POST', 'popups', 'p1', { user_id: ann.id, title: 'One' })
    const [{ id } = { id: '' }] = made.body as { id: string }[]
    const requests = [
      ['POST', 'popups', { user_id: ann.id, title: 'One' }, 'p1'],
      ['PATCH', `popups?id=eq.${id}`, { title: 'Two' }, 'p2'],
      ['POST', 'rpc/set_time_zone', { _zone: 'Asia/Tokyo' }, 'p3'],
      ['DELETE', `popups?id=eq.${id}`, undefined, 'p4'],
    ] as const
    for (const [method, path, body, key] of requests) {
      const first = await ask(ann, method, path, key, body)
      expect(first.status).toBeLessThan(300)
      await server.sql(`update app.popups set title = 'Meanwhile' where id = $1`, [id])
      expect(await ask(ann, method, path, key, body)).toEqual({ ...first, replayed: 'true' })
    }
    expect(await server.sql('select title from app.popups where user_id = $1', [ann.id])).toEqual(
      [],
    )
  })

  it('happens again after a day, and when it failed', async () => {
    const ann = await makeAccount(server)
    const row = { user_id: ann.id, title: 'Daily' }
    expect(await ask(ann, 'POST', 'popups', 'k', { ...row, title: ' ' })).toMatchObject({
      status: 400,
    })
    const first = await ask(ann, 'POST', 'popups', 'k', row)
    expect(first).toMatchObject({ status: 201, replayed: null, body: {} })
    await server.sql(`update app.idempotent_requests set made_at = now() - interval '25 hours'`)
    const later = await ask(ann, 'POST', 'popups', 'k', row)
    expect(later).toMatchObject({ status: 201, replayed: null })
    expect(later.body).not.toEqual(first.body)
  })

  it('is forgotten after a day, and for a person with many the oldest', async () => {
    const ann = await makeAccount(server)
    await server.sql('delete from app.idempotent_requests')
    await server.sql(
      `insert into app.idempotent_requests (user_id, key, request, made_at)
        select $1::uuid, 'n' || n, ''::bytea, now() - n * interval '1 second' from generate_series(1, 5003) n
        union all select $1::uuid, 'old', '', now() - interval '25 hours'`,
      [ann.id],
    )
    await deleteOldRows(server.context)
    const left = await server.sql(
      `select count(*)::int as n, count(*) filter (where key = 'n1')::int as newest from app.idempotent_requests`,
    )
    expect(left).toEqual([{ n: 5_000, newest: 1 }])
  })
})

describe('the answers that are kept', () => {
  const keptBytes = async (who: Account) => {
    const [row] = await server.sql<{ bytes: number }>(
      'select coalesce(sum(octet_length(result)), 0)::int as bytes from app.idempotent_requests where user_id = $1',
      [who.id],
    )
    return row?.bytes ?? 0
  }

  it('have at most 16 kB each: a repetition after a longer one is refused, and changes nothing', async () => {
    const ann = await makeAccount(server, { plan: 'business' })
    const rows = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        user_id: ann.id,
        original_url: `https://example.com/${n}?${'x'.repeat(1_000)}`,
      }))
    const ask = (key: string, count: number) =>
      send(server, ann, 'POST', 'shortened_urls', rows(count), {
        prefer: 'return=representation',
        'idempotency-key': key,
      })
    expect((await ask('short', 5)).status).toBe(201)
    expect((await ask('short', 5)).status).toBe(201)
    expect((await ask('long', 40)).status).toBe(201)
    const repeated = { status: 409, body: { hint: 'idempotency_answer_not_kept' } }
    expect(await ask('long', 40)).toMatchObject(repeated)
    expect(await used(ann)).toMatchObject({ links: 45 })
    expect(await keptBytes(ann)).toBeLessThan(16_384)
  })

  it('have 4 MB of one person, without the retention', async () => {
    const ann = await makeAccount(server)
    await server.sql(
      `insert into app.idempotent_requests (user_id, key, request, result, made_at)
        select $1, n::text, '', repeat('x', 16000), now() - make_interval(secs => n) from generate_series(1, 400) n`,
      [ann.id],
    )
    // One write in 20 looks.
    for (let n = 0; n < 400 && (await keptBytes(ann)) > 4_100_000; n++)
      await send(
        server,
        ann,
        'POST',
        'rpc/set_time_zone',
        { _zone: 'UTC' },
        { 'idempotency-key': randomUUID() },
      )
    expect(await keptBytes(ann)).toBeLessThan(4_100_000)
    expect(await keptBytes(ann)).toBeGreaterThan(3_900_000)
  })

  it('are not given to a credential that may read less', async () => {
    const ann = await makeUser(server)
    const keyWith = async (scopes: string[]) => {
      const { body } = await request(server, '/user/api-keys', {
        token: ann.accessToken,
        body: { name: scopes.join(' '), scopes, expires_in_days: null },
      })
      return { headers: { apikey: server.anonKey, authorization: `Bearer ${String(body['key'])}` } }
    }
    const write = { user_id: ann.id, original_url: 'https://example.com/secret' }
    const reads = await keyWith(['links:read', 'links:write'])
    const writes = await keyWith(['links:write'])
    const ask = (who: { headers: Record<string, string> }) =>
      send(server, who, 'POST', 'shortened_urls?select=id', write, {
        prefer: 'return=representation',
        'idempotency-key': 'shared',
      })
    expect((await ask(reads)).status).toBe(201)
    expect((await ask(reads)).headers.get('idempotency-replayed')).toBe('true')
    const other = await ask(writes)
    expect(other.status).toBeGreaterThanOrEqual(400)
    expect(other.headers.get('idempotency-replayed')).toBeNull()
  })
})

describe('a link with an id of another system', () => {
  const upsert = (who: Account, rows: object, query = 'on_conflict=user_id,external_id') =>
    send(server, who, 'POST', `shortened_urls?${query}`, rows, {
      prefer: 'return=representation, resolution=merge-duplicates',
    })

  it('is made at the first upsert and changed by the next, charged once', async () => {
    const ann = await makeAccount(server)
    const row = { user_id: ann.id, external_id: 'sku 7', original_url: 'https://example.com/1' }
    const first = await upsert(ann, row)
    expect(first).toMatchObject({ status: 201, body: [{ external_id: 'sku 7' }] })
    const second = await upsert(ann, { ...row, original_url: 'https://example.com/2' })
    expect(second).toMatchObject({
      status: 200,
      body: [{ ...(first.body as object[])[0], original_url: 'https://example.com/2' }],
    })
    expect(await used(ann)).toEqual({ links: 1, counted: 1 })
    const names = await server.sql('select 1 from app.names where owner_id = $1', [ann.id])
    expect(names).toHaveLength(1)
  })

  it('is one per owner, and unknown to others', async () => {
    const [ann, bob] = [
      await makeAccount(server, { plan: 'pro' }),
      await makeAccount(server, { plan: 'pro' }),
    ]
    const row = (who: Account) => ({
      user_id: who.id,
      external_id: 'shared',
      original_url: 'https://example.com/',
    })
    const made = await upsert(ann, row(ann))
    expect(made.status).toBe(201)
    const [{ short_code: code } = { short_code: '' }] = made.body as { short_code: string }[]
    expect((await upsert(bob, row(bob))).status).toBe(201)
    const again = await send(server, ann, 'POST', 'shortened_urls', {
      ...row(ann),
      short_code: 'ext-other',
    })
    expect(again).toMatchObject({
      status: 409,
      body: { code: '23505', message: 'You already have a link with this external ID' },
    })
    expect(await server.sql(`select 1 from app.names where name = 'ext-other'`)).toEqual([])
    const seen = await send(server, bob, 'GET', `shortened_urls?short_code=eq.${code}`)
    expect(seen.body).toMatchObject([{ external_id: null }])
    for (const external_id of ['', 'x'.repeat(201), 'a\nb'])
      expect(await upsert(ann, { ...row(ann), external_id })).toMatchObject({
        status: 400,
        body: { code: '23514' },
      })
  })
})
