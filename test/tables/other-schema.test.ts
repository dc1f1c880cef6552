import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { createTablesDoor } from '#server/tables/door.ts'
import type { SchemaRules } from '#server/tables/rule-types.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount } from './accounts.ts'

/** The door on another schema: it serves the grants there, and nothing of `api`. */

let server: TestServer
let door: ReturnType<typeof createTablesDoor>
let ann: Account
let bob: Account

const rules: SchemaRules = {
  maxRows: 3,
  relations: {
    notes: {
      owner: { column: 'author' },
      urls: { link: 'address' },
      lookup: { by: 'slug', key: /^[a-z]+$/ },
    },
    lines: { owner: { column: 'note', through: 'notes' } },
  },
  functions: {},
}

beforeAll(async () => {
  server = await sharedServer()
  ;[ann, bob] = [await makeAccount(server), await makeAccount(server)]
  await server.sql(`
    create schema lab;
    grant usage on schema lab to anon, authenticated, service_role;
    create table lab.notes (
      slug text primary key, author uuid not null, text text not null default 'empty', link text,
      secret text, words int generated always as (length(text)) stored);
    create table lab.lines (note text references lab.notes, place int, text text, primary key (note, place));
    create table lab.hidden (id int primary key);
    create view lab.short_notes with (security_invoker = true) as
      select slug, author, upper(text) as shouted from lab.notes;
    alter table lab.notes enable row level security;
    create policy own on lab.notes to authenticated using (author = app.current_user_id());
    create policy look_up on lab.notes for select to anon, authenticated using (slug = app.lookup_key('notes'));
    grant select (slug, text), select (words) on lab.notes to anon;
    grant select, insert (slug, author, text, link), update (text), delete on lab.notes to authenticated;
    grant select, insert, update on lab.lines to authenticated;
    grant select, insert, update on lab.short_notes to authenticated;
    create function lab.twice(n int, plus int default 0) returns int language sql immutable as 'select 2 * n + plus';
    create function lab.words_of(slug text) returns setof text language sql stable as $$ select unnest('{a,b}'::text[]) $$;
    create function lab.notes_of(author uuid) returns setof lab.notes language sql stable as
      $$ select * from lab.notes n where n.author = notes_of.author $$;
    create function lab.touch() returns void language sql volatile as 'select';
    revoke execute on all functions in schema lab from public;
    grant execute on all functions in schema lab to authenticated`)
  door = createTablesDoor({ ...server.context, schema: 'lab', rules })
})
async function send(
  who: Account | undefined,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const request = new Request(`http://localhost/rest/v1/${path}`, {
    method,
    headers: {
      apikey: server.anonKey,
      ...who?.headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const { hosts, log } = server.context
  const place = hosts.placeOf(request)
  const response = await door(request, {
    address: '127.0.0.1',
    place,
    requestId: randomUUID(),
    log,
  })
  const text = await response.text()
  return {
    status: response.status,
    body: text === '' ? undefined : JSON.parse(text),
    headers: response.headers,
  }
}

const made = { prefer: 'return=representation' }

it('the table door serves the relations of its schema and none of another', async () => {
  const note = { slug: 'first', author: ann.id, text: 'hello', link: 'https://Example.com' }
  const inserted = await send(ann, 'POST', 'notes', note, made)
  expect(inserted).toMatchObject({
    status: 201,
    body: [{ words: 5, link: 'https://example.com/' }],
  })
  expect(await send(ann, 'GET', 'popups')).toMatchObject({
    status: 404,
    body: { code: 'PGRST205' },
  })
  expect((await send(ann, 'GET', 'hidden')).status).toBe(403)
  expect(await send(ann, 'GET', 'notes', undefined, { 'accept-profile': 'api' })).toMatchObject({
    status: 406,
    body: { hint: 'Only the following schemas are exposed: lab' },
  })
})

it('the table door takes columns and verbs from the grants', async () => {
  const denied = { status: 403, body: { code: '42501' } }
  const at = 'notes?slug=eq.first'
  expect((await send(ann, 'PATCH', at, { text: 'changed' })).status).toBe(204)
  expect(await send(ann, 'PATCH', at, { link: 'https://example.com/' })).toMatchObject(denied)
  const generated = { slug: 'second', author: ann.id, words: 9 }
  expect(await send(ann, 'POST', 'notes', generated)).toMatchObject(denied)
  const secret = { slug: 'second', author: ann.id, secret: 'x' }
  expect(await send(ann, 'POST', 'notes', secret)).toMatchObject(denied)
  // The view's own grant is wide; the table's says which columns a caller may write.
  expect(await send(ann, 'POST', 'short_notes', { shouted: 'X' })).toMatchObject(denied)
  expect(await send(ann, 'PATCH', 'short_notes?slug=eq.first', { slug: 'x' })).toMatchObject(denied)
  expect((await send(ann, 'GET', 'short_notes')).body).toEqual([
    { slug: 'first', author: ann.id, shouted: 'CHANGED' },
  ])
})

it('the table door applies the rules: owner, look-up, addresses, rows', async () => {
  expect((await send(bob, 'GET', 'notes')).body).toEqual([])
  expect((await send(undefined, 'GET', 'notes')).body).toEqual([])
  expect((await send(undefined, 'GET', 'notes?slug=eq.first')).body).toEqual([
    { slug: 'first', text: 'changed', words: 7 },
  ])
  // A signed-in visitor gets the owner's columns as null.
  expect((await send(bob, 'GET', 'notes?slug=eq.first')).body).toMatchObject([
    { text: 'changed', author: null, secret: null },
  ])
  const bad = { slug: 'bad', author: ann.id, link: 'javascript:alert(1)' }
  expect(await send(ann, 'POST', 'notes', bad)).toMatchObject({ status: 400 })
  const lines = [1, 2, 3].map((place) => ({ note: 'first', place, text: `${place}` }))
  expect((await send(ann, 'POST', 'lines', lines)).status).toBe(201)
  expect((await send(ann, 'POST', 'lines', [...lines, ...lines])).status).toBe(400)
  expect((await send(ann, 'GET', 'lines?limit=9')).body).toHaveLength(3)
  expect((await send(bob, 'GET', 'lines')).body).toEqual([])
})

it('the table door upserts on a primary key of two columns, and names both in Location', async () => {
  const line = { note: 'first', place: 2, text: 'again' }
  const prefer = { prefer: 'resolution=merge-duplicates, return=headers-only' }
  const merged = await send(ann, 'POST', 'lines', line, prefer)
  expect([merged.status, merged.headers.get('location')]).toEqual([
    200,
    '/lines?note=eq.first&place=eq.2',
  ])
})

it('the table door calls functions with the arguments and the kind that the catalog says', async () => {
  expect((await send(ann, 'GET', 'rpc/twice?n=4')).body).toBe(8)
  expect((await send(ann, 'POST', 'rpc/twice', { n: 4, plus: 1 })).body).toBe(9)
  expect(await send(ann, 'POST', 'rpc/twice', { plus: 1 })).toMatchObject({ status: 404 })
  expect((await send(ann, 'GET', 'rpc/words_of?slug=first')).body).toEqual(['a', 'b'])
  const notes = await send(ann, 'GET', `rpc/notes_of?author=${ann.id}&select=slug&slug=like.f*`)
  expect(notes.body).toEqual([{ slug: 'first' }])
  expect((await send(ann, 'GET', 'rpc/touch')).status).toBe(405)
  expect((await send(ann, 'POST', 'rpc/touch')).status).toBe(204)
  expect((await send(undefined, 'POST', 'rpc/twice', { n: 1 })).status).toBe(401)
})

it('the table door follows a changed grant after `notify hoplet_catalog`', async () => {
  const titled = () =>
    send(ann, 'PATCH', 'notes?slug=eq.first', { link: 'https://example.com/new' })
  expect((await titled()).status).toBe(403)
  await server.sql(`grant update (link) on lab.notes to authenticated; notify hoplet_catalog`)
  await expect.poll(async () => (await titled()).status).toBe(204)
})
