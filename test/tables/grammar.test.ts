import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTablesDoor } from '#server/tables/door.ts'
import type { SchemaRules } from '#server/tables/rules.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount } from './accounts.ts'

/** The query grammar as a table of requests and answers, on a schema with columns of many types and every kind of relationship. */

let server: TestServer
let ann: Account
let bob: Account
const doors: Record<string, ReturnType<typeof createTablesDoor>> = {}

const rules: SchemaRules = {
  maxRows: 5,
  relations: { diaries: { owner: { column: 'owner' } } },
  functions: {},
}

beforeAll(async () => {
  server = await startTestServer()
  ;[ann, bob] = [await makeAccount(server), await makeAccount(server)]
  await server.sql(`
    create schema lab;
    grant usage on schema lab to anon, authenticated, service_role;
    create table lab.places (
      id int primary key, name text not null, tags text[], span int4range, data jsonb, doc tsvector, at timestamptz,
      parent_id int references lab.places);
    create table lab.people (
      id int primary key, name text not null, home int constraint people_home references lab.places,
      work int constraint people_work references lab.places);
    create table lab.stays (
      person int references lab.people, place int references lab.places, nights int not null, primary key (person, place));
    create table lab.passports (person int primary key references lab.people, number text not null);
    create table lab.diaries (id int primary key, owner uuid not null, person int not null references lab.people, text text);
    create view lab.folk with (security_invoker = true) as select id, name, home from lab.people;
    alter table lab.diaries enable row level security;
    create policy own on lab.diaries to authenticated using (owner = app.current_user_id());
    grant select, insert, update, delete on lab.places, lab.people, lab.stays, lab.diaries to authenticated;
    grant select (person) on lab.passports to anon;
    grant select on lab.passports, lab.folk to authenticated;
    create function lab.people_at(place int) returns setof lab.people language sql stable as
      'select p.* from lab.people p where p.home = place';
    insert into lab.places values
      (1, 'Attic', '{old,high}', '[1,5)', '{"floor": 3, "rooms": [{"name": "west"}, {"name": "east"}], "a.b": "dot"}',
        to_tsvector('english', 'running cats'), '2026-01-01T12:00Z', null),
      (2, 'Barn, red', '{old,wide}', '[5,9)', '{"floor": 1, "rooms": []}', to_tsvector('english', 'a cat ran'), '2026-02-01T12:00Z', 1),
      (3, 'Cellar', null, '[2,3)', null, to_tsvector('simple', 'dogs'), '2026-03-01T12:00Z', 1);
    insert into lab.people values (1, 'Ada', 1, 2), (2, 'Ben', 1, null), (3, 'Cy', null, null);
    insert into lab.stays values (1, 2, 3), (1, 3, 1), (2, 3, 7);
    insert into lab.passports values (1, 'X1');
    insert into lab.diaries values (1, '${ann.id}', 1, 'mine'), (2, '${bob.id}', 1, 'his'), (3, '${bob.id}', 2, 'his too')`)
  doors['plain'] = createTablesDoor({ ...server.context, schema: 'lab', rules })
  doors['counting'] = createTablesDoor({
    ...server.context,
    schema: 'lab',
    rules: { ...rules, aggregates: true },
  })
})
afterAll(() => server.close())

interface Sent {
  who?: Account | undefined
  method?: string
  body?: string
  headers?: Record<string, string>
  door?: string
}

async function send(path: string, options: Sent = {}) {
  const { who = ann, method = 'GET', body, headers = {}, door = 'plain' } = options
  const request = new Request(`http://localhost/rest/v1/${path}`, {
    method,
    headers: { ...who.headers, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body }),
  })
  const { log } = server.context
  const info = { address: '127.0.0.1', requestId: randomUUID(), log }
  const response = await doors[door]?.(request, info)
  const text = (await response?.text()) ?? ''
  const isJson = response?.headers.get('content-type')?.includes('json') ?? false
  return {
    status: response?.status,
    headers: response?.headers,
    body: isJson ? JSON.parse(text) : text,
  }
}
const ids = async (path: string) => {
  const { status, body } = await send(path)
  return status === 200 ? (body as { id: number }[]).map(({ id }) => id) : { status, body }
}

describe('filters', () => {
  it.each<[string, number[]]>([
    ['name=eq(any).{Attic,Cellar}', [1, 3]],
    ['name=like(any).{A*,*red}', [1, 2]],
    ['name=ilike(all).{*A*,*t*}', [1]],
    ['name=not.eq(any).{Attic}', [2, 3]],
    ['id=gt(all).{1,2}', [3]],
    ['id=lte(any).{1,2}', [1, 2]],
    ['name=eq(any).{"Barn, red"}', [2]],
    ['or=(name.eq(any).{Attic,Cellar},id.eq.2)', [1, 2, 3]],
    ['tags=cs.{old}', [1, 2]],
    ['tags=cs.{old,high}', [1]],
    ['tags=cd.{old,wide,x}', [2]],
    ['tags=ov.{high,wide}', [1, 2]],
    ['tags=not.ov.{high}', [2]],
    ['or=(tags.cs.{old,high},id.eq.3)', [1, 3]],
    ['tags=eq.{old,high}', [1]],
    ['span=cs.[2,3)', [1, 3]],
    ['span=cd.[1,6)', [1, 3]],
    ['span=ov.[4,6)', [1, 2]],
    ['span=sl.[5,6)', [1, 3]],
    ['span=sr.[1,5)', [2]],
    ['span=nxr.[1,5)', [1, 3]],
    ['span=nxl.[2,3)', [2, 3]],
    ['span=adj.[5,6)', [1]],
    ['or=(span.adj."[5,6)",id.eq.3)', [1, 3]],
    ['data=cs.{"floor":1}', [2]],
    ['data->floor=eq.3', [1]],
    ['data->>floor=eq.1', [2]],
    ['data->rooms->0->>name=eq.west', [1]],
    ['data->rooms->-1->>name=like.e*', [1]],
    ['data->>"a.b"=eq.dot', [1]],
    ['data->>floor=in.(1,3)', [1, 2]],
    ['data->>floor=is.null', [3]],
    ['or=(data->>floor.eq.1,data->rooms->1->>name.eq.east)', [1, 2]],
    ['doc=fts(english).cats', [1, 2]],
    ['doc=plfts(english).running cat', [1]],
    ['doc=phfts(english).run cat', [1]],
    ['doc=wfts(english).cat -ran', [1]],
    ['doc=fts(simple).dogs', [3]],
    ['name=plfts(simple).red barn', [2]],
    ['name=not.fts(simple).attic', [2, 3]],
    ['or=(doc.fts(simple).dogs,id.eq.1)', [1, 3]],
    ['at=gte.2026-02-01', [2, 3]],
    ['parent_id=isdistinct.1', [1]],
    ['"name"=eq.Cellar', [3]],
  ])('%s', async (filter, expected) => {
    expect(await ids(`places?select=id&order=id&${filter}`)).toEqual(expected)
  })

  it.each<[string, number, string]>([
    ['name=eq(some).{a}', 400, 'PGRST100'],
    ['name=neq(any).{a}', 400, 'PGRST100'],
    ['name=in(any).(a)', 400, 'PGRST100'],
    ['name=is(any).{null}', 400, 'PGRST100'],
    ['name=match.^A', 400, 'PGRST100'],
    ['name=imatch(any).{^a}', 400, 'PGRST100'],
    ['name=eq(any).Attic', 400, '22P02'],
    [`name=like(any).{${Array.from({ length: 30 }, () => '*a').join(',')}}`, 400, 'PGRST100'],
    ['name=cs.{a}', 404, '42883'],
    ['id=sl.[1,2)', 400, '42804'],
    ['doc=fts(klingon).x', 400, '42704'],
    ['doc=fts.a b', 400, '42601'],
    ['data->floor=eq.{', 400, '22P02'],
    [`data${'->a'.repeat(30)}=is.null`, 400, 'PGRST100'],
    ['data->=eq.1', 400, 'PGRST100'],
    ['secret->>a=eq.1', 400, '42703'],
  ])('%s is refused', async (filter, status, code) => {
    expect(await send(`places?${filter}`)).toMatchObject({ status, body: { code } })
  })
})

describe('select and order', () => {
  it.each<[string, unknown]>([
    ['places?select=data->floor&id=eq.1', [{ floor: 3 }]],
    ['places?select=data->rooms->0->>name&id=eq.1', [{ name: 'west' }]],
    ['places?select=first:data->rooms->0&id=eq.1', [{ first: { name: 'west' } }]],
    ['places?select=data->rooms->1&id=eq.1', [{ rooms: { name: 'east' } }]],
    ['places?select=n:data->>floor::int&id=eq.1', [{ n: 3 }]],
    ['places?select=tags->0&id=eq.1', [{ tags: 'old' }]],
    [
      'places?select=id::text,at::date,tags::text&id=eq.1',
      [{ id: '1', at: '2026-01-01', tags: '{old,high}' }],
    ],
    ['places?select=x:id::double precision&id=eq.1', [{ x: 1 }]],
    ['places?select=id::text[]&id=eq.1', { code: '42846' }],
    ['places?select=id&order=data->floor.desc.nullslast', [{ id: 1 }, { id: 2 }, { id: 3 }]],
    ['places?select=id&order=data->>floor.asc.nullsfirst,id', [{ id: 3 }, { id: 2 }, { id: 1 }]],
    ['places?select=id&order=id.desc&limit=1&offset=1', [{ id: 2 }]],
  ])('%s', async (path, expected) => {
    const { body } = await send(path)
    if (Array.isArray(expected)) expect(body).toEqual(expected)
    else expect(body).toMatchObject(expected as object)
  })

  it('counts and adds up only where aggregates are switched on', async () => {
    const paths = [
      ['stays?select=count()', [{ count: 3 }]],
      [
        'stays?select=place,nights.sum()&order=place',
        [
          { place: 2, sum: 3 },
          { place: 3, sum: 8 },
        ],
      ],
      ['stays?select=most:nights.max(),least:nights.min()', [{ most: 7, least: 1 }]],
      ['stays?select=nights.avg()::int', [{ avg: 4 }]],
      ['people?select=name,stays(nights.sum())&id=eq.1', [{ name: 'Ada', stays: [{ sum: 4 }] }]],
    ] as const
    for (const [path, expected] of paths) {
      expect(await send(path)).toMatchObject({ status: 400, body: { code: 'PGRST123' } })
      expect((await send(path, { door: 'counting' })).body).toEqual(expected)
    }
  })
})

describe('embedding', () => {
  it.each<[string, unknown]>([
    // To-one, by its constraint, its column, or the relation with a hint.
    [
      'people?select=name,people_home(name)&id=eq.1',
      [{ name: 'Ada', people_home: { name: 'Attic' } }],
    ],
    [
      'people?select=home(name),at:work(name)&id=eq.1',
      [{ home: { name: 'Attic' }, at: { name: 'Barn, red' } }],
    ],
    [
      'people?select=places!people_work(id)&order=id',
      [{ places: { id: 2 } }, { places: null }, { places: null }],
    ],
    ['people?select=p:places!home(*)&id=eq.3', [{ p: null }]],
    [
      'folk?select=name,places!people_home(name)&id=eq.2',
      [{ name: 'Ben', places: { name: 'Attic' } }],
    ],
    // To-many, with its own filters, order and limit.
    [
      'places?select=id,people!people_home(name)&id=lte.2&order=id',
      [
        { id: 1, people: [{ name: 'Ada' }, { name: 'Ben' }] },
        { id: 2, people: [] },
      ],
    ],
    [
      'places?select=people!people_home(name)&people.order=name.desc&people.limit=1&id=eq.1',
      [{ people: [{ name: 'Ben' }] }],
    ],
    [
      'places?select=people!people_home(name)&people.order=name&people.offset=1&id=eq.1',
      [{ people: [{ name: 'Ben' }] }],
    ],
    [
      'places?select=who:people!people_home(name)&who.name=eq.Ada&id=eq.1',
      [{ who: [{ name: 'Ada' }] }],
    ],
    [
      'places?select=who:people!people_home(name)&who.or=(name.eq.Ada,id.eq.2)&who.order=id&id=eq.1',
      [{ who: [{ name: 'Ada' }, { name: 'Ben' }] }],
    ],
    // One-to-one in both directions.
    [
      'people?select=name,passports(number)&order=id&limit=2',
      [
        { name: 'Ada', passports: { number: 'X1' } },
        { name: 'Ben', passports: null },
      ],
    ],
    ['passports?select=number,people(name)', [{ number: 'X1', people: { name: 'Ada' } }]],
    // Through the relation in between.
    [
      'people?select=name,places!stays(name)&places.order=name&id=eq.1',
      [{ name: 'Ada', places: [{ name: 'Barn, red' }, { name: 'Cellar' }] }],
    ],
    [
      'places?select=id,people!stays(name)&id=eq.3&people.order=name',
      [{ id: 3, people: [{ name: 'Ada' }, { name: 'Ben' }] }],
    ],
    // Itself.
    [
      'places?select=name,parent:parent_id(name)&id=eq.2',
      [{ name: 'Barn, red', parent: { name: 'Attic' } }],
    ],
    [
      'places?select=name,places(name)&id=eq.1',
      [{ name: 'Attic', places: [{ name: 'Barn, red' }, { name: 'Cellar' }] }],
    ],
    // Nested, all columns, nothing.
    [
      'people?select=name,stays(nights,places(name))&id=eq.2',
      [{ name: 'Ben', stays: [{ nights: 7, places: { name: 'Cellar' } }] }],
    ],
    [
      'people?select=name,stays(nights,places(name))&stays.places.name=eq.Attic&id=eq.2',
      [{ name: 'Ben', stays: [{ nights: 7, places: null }] }],
    ],
    [
      'passports?select=*,people(*)',
      [{ person: 1, number: 'X1', people: { id: 1, name: 'Ada', home: 1, work: 2 } }],
    ],
    ['people?select=name,passports()&passports=not.is.null', [{ name: 'Ada' }]],
    // Inner joins and empty embeddings decide which rows there are.
    ['people?select=id,passports!inner(number)', [{ id: 1, passports: { number: 'X1' } }]],
    ['people?select=id,stays!inner(nights)&stays.nights=gt.5', [{ id: 2, stays: [{ nights: 7 }] }]],
    [
      'people?select=id,stays!inner(places!inner(name))&stays.places.name=like.Barn*',
      [{ id: 1, stays: [{ places: { name: 'Barn, red' } }] }],
    ],
    ['people?select=id,stays()&stays=is.null', [{ id: 3 }]],
    [
      'people?select=id,stays(),passports()&or=(stays.is.null,passports.not.is.null)&order=id',
      [{ id: 1 }, { id: 3 }],
    ],
    // Spread.
    ['passports?select=number,...people(name,home)', [{ number: 'X1', name: 'Ada', home: 1 }]],
    [
      'passports?select=number,...people(*)',
      [{ number: 'X1', id: 1, name: 'Ada', home: 1, work: 2 }],
    ],
    [
      'people?select=id,...stays(nights)&stays.order=nights.desc&id=lte.3&order=id',
      [
        { id: 1, nights: [3, 1] },
        { id: 2, nights: [7] },
        { id: 3, nights: [] },
      ],
    ],
    [
      'stays?select=nights,...people(who:name,...home(where:name))&person=eq.1&order=nights',
      [
        { nights: 1, who: 'Ada', where: 'Attic' },
        { nights: 3, who: 'Ada', where: 'Attic' },
      ],
    ],
    // Order by what is embedded.
    [
      'stays?select=place,people(name)&order=people(name).desc,nights',
      [
        { place: 3, people: { name: 'Ben' } },
        { place: 3, people: { name: 'Ada' } },
        { place: 2, people: { name: 'Ada' } },
      ],
    ],
    [
      'people?select=id,home()&order=home(data->floor).desc.nullslast,id.desc',
      [{ id: 2 }, { id: 1 }, { id: 3 }],
    ],
    // From a function.
    [
      'rpc/people_at?place=1&select=name,passports(number)&order=id',
      [
        { name: 'Ada', passports: { number: 'X1' } },
        { name: 'Ben', passports: null },
      ],
    ],
  ])('%s', async (path, expected) => {
    expect(await send(path)).toMatchObject({ status: 200, body: expected })
    expect((await send(path)).body).toEqual(expected)
  })

  it.each<[string, number, string]>([
    ['people?select=ghosts(*)', 400, 'PGRST200'],
    ['people?select=diaries!ghosts(*)', 400, 'PGRST200'],
    ['passports?select=places(*)', 400, 'PGRST200'],
    ['people?select=name&stays.nights=eq.1', 400, 'PGRST108'],
    ['people?select=stays(nights)&stays.places.name=eq.x', 400, 'PGRST108'],
    ['people?select=stays(nights)&ghosts.order=x', 400, 'PGRST108'],
    ['people?select=stays(nights)&order=stays(nights)', 400, 'PGRST118'],
    ['people?select=name&order=home(name)', 400, 'PGRST108'],
    ['people?select=stays(ghost)', 400, '42703'],
    ['people?select=stays(nights)&stays.ghost=eq.1', 400, '42703'],
    ['people?select=stays(nights', 400, 'PGRST100'],
    ['people?select=stays!a!b!c(nights)', 400, 'PGRST100'],
    [`people?select=${'stays(people('.repeat(25)}name${'))'.repeat(25)}`, 400, 'PGRST100'],
    [
      `people?select=${Array.from({ length: 30 }, (_, n) => `s${n}:stays(nights)`).join(',')}`,
      400,
      'PGRST100',
    ],
  ])('%s is refused', async (path, status, code) => {
    expect(await send(path)).toMatchObject({ status, body: { code } })
  })

  it('names the relationships between which it cannot choose', async () => {
    const { status, body } = await send('people?select=places(name)')
    expect(status).toBe(300)
    expect(body).toMatchObject({
      code: 'PGRST201',
      message: `Could not embed because more than one relationship was found for 'people' and 'places'`,
    })
    const { details, hint } = body as {
      details: { cardinality: string; relationship: string }[]
      hint: string
    }
    expect(details).toContainEqual({
      cardinality: 'many-to-one',
      embedding: 'people with places',
      relationship: 'people_home using people(home) and places(id)',
    })
    expect(details.map(({ cardinality }) => cardinality).toSorted()).toEqual([
      'many-to-many',
      'many-to-one',
      'many-to-one',
    ])
    for (const name of ['places!people_home', 'places!people_work', 'places!stays'])
      expect(hint).toContain(name)
  })

  it('shows only what row security and the owner rule show', async () => {
    const mine = await send('people?select=id,diaries(text)&id=eq.1')
    expect(mine.body).toEqual([{ id: 1, diaries: [{ text: 'mine' }] }])
    const his = await send('people?select=id,diaries!inner(text)&order=id', { who: bob })
    expect(his.body).toEqual([
      { id: 1, diaries: [{ text: 'his' }] },
      { id: 2, diaries: [{ text: 'his too' }] },
    ])
    const counted = await send('people?select=id,diaries()&diaries=not.is.null', {
      headers: { prefer: 'count=exact' },
    })
    expect([counted.body, counted.headers?.get('content-range')]).toEqual([[{ id: 1 }], '0-0/1'])
  })

  it('needs a grant on what is embedded', async () => {
    const anon = { who: { headers: { apikey: server.anonKey } } as unknown as Account }
    expect(await send('passports?select=person', anon)).toMatchObject({ status: 200 })
    expect(await send('passports?select=person,people(name)', anon)).toMatchObject({
      status: 401,
      body: { code: '42501' },
    })
  })

  it('has no more rows in a list than the door allows', async () => {
    await server.sql("insert into lab.people select n, 'P' || n, 3 from generate_series(10, 20) n")
    const { body } = await send('places?select=people!people_home(id)&id=eq.3')
    expect((body as { people: unknown[] }[])[0]?.people).toHaveLength(5)
    await server.sql('delete from lab.people where id >= 10')
  })

  it('refuses an answer of more than 20,000 embedded rows', async () => {
    const many = createTablesDoor({
      ...server.context,
      schema: 'lab',
      rules: { ...rules, maxRows: 1_000 },
    })
    doors['many'] = many
    await server.sql(
      `insert into lab.people select n, 'P' || n, 3 from generate_series(100, 299) n`,
    )
    const path = 'people?select=home(people!people_home(id))&home=eq.3'
    const lists = await send(`${path}&limit=90`, { door: 'many' })
    expect(lists.status).toBe(200)
    expect((lists.body as { home: { people: unknown[] } }[])[89]?.home.people).toHaveLength(200)
    for (const each of [path, 'people?select=...home(...people!people_home(id))&home=eq.3'])
      expect(await send(each, { door: 'many' })).toMatchObject({
        status: 400,
        body: { code: 'PT400' },
      })
    await server.sql('delete from lab.people where id >= 100')
  })
})

describe('media types, bodies and preferences', () => {
  const csv = { accept: 'text/csv' }
  it('answers CSV', async () => {
    const read = await send('places?select=id,name,"a,b":tags&order=id', { headers: csv })
    expect(read.headers?.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(read.body).toBe(
      'id,name,"a,b"\n1,Attic,"{old,high}"\n2,"Barn, red","{old,wide}"\n3,Cellar,',
    )
    expect((await send('places?select=id&id=eq.9', { headers: csv })).body).toBe('id\n')
  })

  it('takes CSV, a form, a list and one object', async () => {
    const prefer = 'return=representation'
    const post = (body: string, type: string, more = {}) =>
      send('people?select=id,name,home', {
        method: 'POST',
        body,
        headers: { 'content-type': type, prefer, ...more },
      })
    expect(await post('id,name,home\n30,"Dee, ""D""",1\n31,Eve,NULL\n', 'text/csv')).toMatchObject({
      status: 201,
      body: [
        { id: 30, name: 'Dee, "D"', home: 1 },
        { id: 31, name: 'Eve', home: null },
      ],
    })
    expect(await post('id=32&name=Flo+G', 'application/x-www-form-urlencoded')).toMatchObject({
      status: 201,
      body: [{ id: 32, name: 'Flo G', home: null }],
    })
    const list = [
      { id: 33, name: 'Gus' },
      { id: 34, name: 'Hal', home: 1 },
    ]
    const missing = { prefer: `${prefer}, missing=default` }
    const inserted = await post(JSON.stringify(list), 'application/json', { ...missing, ...csv })
    expect(inserted.body).toBe('id,name,home\n33,Gus,\n34,Hal,1')
    for (const [body, type, status] of [
      ['id,name\n40,"open', 'text/csv', 400],
      ['id,name\n40', 'text/csv', 400],
      ['', 'text/csv', 400],
      ['<a/>', 'text/xml', 415],
      ['a\n1\n2\n3\n4\n5\n6', 'text/csv', 400],
    ] as const)
      expect(await post(body, type)).toMatchObject({ status, body: { code: 'PGRST102' } })
    await server.sql('delete from lab.people where id >= 30')
  })

  it('puts one row under its key', async () => {
    const put = (path: string, body: unknown, prefer = 'return=representation') =>
      send(path, { method: 'PUT', body: JSON.stringify(body), headers: { prefer } })
    const row = { id: 50, name: 'Ida' }
    expect(await put('people?id=eq.50', row)).toMatchObject({ status: 201, body: [row] })
    expect(await put('people?id=eq.50', { ...row, name: 'Ivy' })).toMatchObject({
      status: 200,
      body: [{ name: 'Ivy' }],
    })
    expect(await put('people?id=eq.50', row, 'return=minimal')).toMatchObject({ status: 204 })
    const stay = { person: 50, place: 1, nights: 2 }
    expect(await put('stays?person=eq.50&place=eq.1', stay)).toMatchObject({ status: 201 })
    for (const [path, body, status, code] of [
      ['people?name=eq.Ida', row, 405, 'PGRST105'],
      ['people?id=gt.1', row, 405, 'PGRST105'],
      ['people', row, 405, 'PGRST105'],
      ['people?id=eq.50&name=eq.Ida', row, 405, 'PGRST105'],
      ['stays?person=eq.50', stay, 405, 'PGRST105'],
      ['people?id=eq.51', row, 400, 'PGRST115'],
      ['people?id=eq.50', [row, row], 400, 'PGRST115'],
      ['people?id=eq.50&limit=1', row, 400, 'PGRST109'],
    ] as const)
      expect(await put(path, body)).toMatchObject({ status, body: { code } })
    await server.sql(
      'delete from lab.stays where person = 50; delete from lab.people where id = 50',
    )
  })

  it('embeds in the answer of a change', async () => {
    const prefer = 'return=representation'
    const changed = await send('people?select=id,passports(number),at:work(name)&id=eq.1', {
      method: 'PATCH',
      body: '{"work":3}',
      headers: { prefer },
    })
    expect(changed.body).toEqual([{ id: 1, passports: { number: 'X1' }, at: { name: 'Cellar' } }])
    await server.sql('update lab.people set work = 2 where id = 1')
  })

  it('writes times in the zone that a client prefers, and refuses what it would ignore', async () => {
    const at = (zone: string, more = '') =>
      send('places?select=at&id=eq.1', { headers: { prefer: `timezone=${zone}${more}` } })
    expect(await at('Asia/Tokyo')).toMatchObject({ body: [{ at: '2026-01-01T21:00:00+09:00' }] })
    expect((await at('Asia/Tokyo')).headers?.get('preference-applied')).toBe('timezone=Asia/Tokyo')
    expect(await at('Mars/Base')).toMatchObject({ body: [{ at: '2026-01-01T12:00:00+00:00' }] })
    expect(await at('Mars/Base', ', handling=strict')).toMatchObject({
      status: 400,
      body: { code: 'PGRST122' },
    })
    expect(await send('places', { headers: { prefer: 'tx=rollback' } })).toMatchObject({
      status: 400,
      body: { code: 'PGRST122' },
    })
  })
})
