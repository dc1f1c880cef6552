import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openLab } from '../lab.ts'

/** Calls of procedures of every kind, as PostgREST answers them. */

let lab: Awaited<ReturnType<typeof openLab>>
beforeAll(async () => {
  lab = await openLab()
  await lab.sql(`
    create function lab.echo(value json) returns json language sql immutable as 'select value';
    create function lab.shout(word text) returns text language sql immutable as 'select upper(word)';
    create table lab.calls (at timestamptz);
    create function lab.people_called() returns setof lab.people language sql volatile security definer as
      'insert into lab.calls values (now()); select * from lab.people';
    create function lab.teapot() returns void language plpgsql as $$ begin raise sqlstate 'PT418' using message = 'short and stout'; end $$;
    create function lab.twice(n int) returns int language sql immutable as 'select 2 * n';
    create function lab.twice(word text) returns text language sql immutable as 'select word || word';
    grant execute on all functions in schema lab to authenticated;
    grant insert, update on lab.passports to authenticated;
    notify hoplet_catalog`)
  // The notification comes at any time after the commit.
  await vi.waitFor(
    async () => expect(await rpc('shout', { word: 'a' })).toMatchObject({ status: 200 }),
    { timeout: 60_000, interval: 20 },
  )
})
afterAll(() => lab.close())

const rpc = (path: string, args: unknown = {}, headers: Record<string, string> = {}) =>
  lab.send(`rpc/${path}`, { method: 'POST', body: JSON.stringify(args), headers })

it('a string is a JSON argument as it is, also one that looks like JSON', async () => {
  expect(await rpc('echo', { value: 'plain' })).toMatchObject({ status: 200, body: 'plain' })
  expect(await rpc('echo', { value: '{"a":1}' })).toMatchObject({ status: 200, body: '{"a":1}' })
  expect(await rpc('echo', { value: { a: 1 } })).toMatchObject({ status: 200, body: { a: 1 } })
  expect(await lab.send('rpc/echo?value={"a":1}')).toMatchObject({ status: 200, body: { a: 1 } })
})

it('filters on a procedure that returns a value are refused, and change nothing on one that returns rows', async () => {
  expect(await rpc('shout?word=eq.x', { word: 'a' })).toMatchObject({
    status: 400,
    body: { code: 'PGRST100', message: expect.stringContaining('word') },
  })
  expect(await rpc('shout?limit=1', { word: 'a' })).toMatchObject({ status: 400 })
  expect(await rpc('shout', { word: 'a' })).toMatchObject({ status: 200, body: 'A' })
  expect(await rpc('people_at?select=name&name=eq.Ben', { place: 1 })).toMatchObject({
    status: 200,
    body: [{ name: 'Ben' }],
  })
})

it('a value that is read by GET takes select=*, and refuses other parameters about rows as POST does', async () => {
  const read = (query: string) => lab.send(`rpc/shout?word=a${query}`)
  for (const query of ['', '&select=*', '&select=%2A'])
    expect(await read(query)).toMatchObject({ status: 200, body: 'A' })
  for (const name of ['select', 'order', 'limit', 'offset', 'columns'])
    expect(await read(`&${name}=1`)).toMatchObject({
      status: 400,
      body: { code: 'PGRST100', message: expect.stringContaining(name) },
    })
  // The control: an argument that the function lacks.
  expect(await read('&other=1')).toMatchObject({ status: 404, body: { code: 'PGRST202' } })
})

it('a procedure with counted rows runs once', async () => {
  const counted = await rpc('people_called?limit=2', {}, { prefer: 'count=exact' })
  expect(counted).toMatchObject({ status: 206, body: [{ id: 1 }, { id: 2 }] })
  expect(counted.headers.get('content-range')).toBe('0-1/3')
  expect(await lab.sql('select count(*)::int as calls from lab.calls')).toEqual([{ calls: 1 }])
})

describe('a schema with an overloaded function', () => {
  it('says that the function has several signatures', async () => {
    expect(await rpc('twice', { n: 2 })).toMatchObject({
      status: 300,
      body: { code: 'PGRST203' },
    })
  })

  it('serves everything else', async () => {
    expect(await lab.send('people?select=name&id=eq.1')).toMatchObject({ status: 200 })
  })
})

it('a procedure names the status of its error', async () => {
  expect(await rpc('teapot')).toMatchObject({
    status: 418,
    body: { code: 'PT418', message: 'short and stout' },
  })
})

it('an upsert without a column is refused like an insert without it', async () => {
  const upsert = (body: string, prefer: string) =>
    lab.send('passports', { method: 'POST', body, headers: { prefer } })
  for (const prefer of ['resolution=merge-duplicates', 'resolution=ignore-duplicates'])
    expect(await upsert('{}', prefer)).toMatchObject({ status: 400, body: { code: '23502' } })
})

it('a page beyond the end names the total', async () => {
  const beyond = await lab.send('people?offset=9', { headers: { prefer: 'count=exact' } })
  expect(beyond).toMatchObject({ status: 416, body: { code: 'PGRST103' } })
  expect(beyond.headers.get('content-range')).toBe('*/3')
})

describe('over HTTP', () => {
  const ask = (method: string, path: string, body?: object) =>
    fetch(`${lab.server.url}/rest/v1/${path}`, {
      method,
      headers: { ...lab.ann.headers, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })

  it('OPTIONS names the methods, for browsers and for everyone else', async () => {
    const answer = await ask('OPTIONS', 'shortened_urls')
    expect(answer.status).toBe(204)
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
    expect(answer.headers.get('access-control-allow-methods')).toContain('PATCH')
  })

  it('browsers may read Location, Allow and Idempotency-Replayed', async () => {
    const { headers } = await ask('GET', 'shortened_urls?select=id')
    const exposed = headers.get('access-control-expose-headers')?.split(',') ?? []
    for (const name of ['location', 'allow', 'idempotency-replayed'])
      expect(exposed).toContain(name)
  })

  it('a page without a slug is refused with the missing slug', async () => {
    const answer = await ask('POST', 'bio_pages', { user_id: lab.ann.id, title: 'Ann' })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      code: '23502',
      message: 'Please give slug a value',
    })
  })
})
