import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLab } from '../lab.ts'

/** Embedding as a table of requests and answers, over every kind of relationship. */

let lab: Awaited<ReturnType<typeof openLab>>
beforeAll(async () => {
  lab = await openLab()
})
afterAll(() => lab.close())

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
    [
      'places?select=name,children:places!parent_id(name)&id=eq.1',
      [{ name: 'Attic', children: [{ name: 'Barn, red' }, { name: 'Cellar' }] }],
    ],
    // Counted.
    [
      'places?select=id,people!people_home(count)&order=id&limit=2',
      [
        { id: 1, people: [{ count: 2 }] },
        { id: 2, people: [{ count: 0 }] },
      ],
    ],
    [
      'places?select=residents:people!people_home(n:count)&residents.id=eq.1&id=eq.1',
      [{ residents: [{ n: 1 }] }],
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
      'people?select=id,stays()&stays=is.null&stays.limit=0&order=id',
      [{ id: 1 }, { id: 2 }, { id: 3 }],
    ],
    ['people?select=id,stays()&stays=not.is.null&stays.offset=1', [{ id: 1 }]],
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
    // Order by an embedded column.
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
    expect(await lab.send(path)).toMatchObject({ status: 200, body: expected })
    expect((await lab.send(path)).body).toEqual(expected)
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
    ['people?select=stays(nights),stays(place)', 400, '42712'],
    ['people?select=stays(count())', 400, 'PGRST123'],
    ['people?select=count', 400, '42703'],
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
    expect(await lab.send(path)).toMatchObject({ status, body: { code } })
  })

  it('names the relationships between which it cannot choose', async () => {
    const { status, body } = await lab.send('people?select=places(name)')
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

  it('an embedding shows only rows that row security and the owner rule show', async () => {
    const mine = await lab.send('people?select=id,diaries(text)&id=eq.1')
    expect(mine.body).toEqual([{ id: 1, diaries: [{ text: 'mine' }] }])
    const his = await lab.send('people?select=id,diaries!inner(text)&order=id', { who: lab.bob })
    expect(his.body).toEqual([
      { id: 1, diaries: [{ text: 'his' }] },
      { id: 2, diaries: [{ text: 'his too' }] },
    ])
    const counted = await lab.send('people?select=id,diaries()&diaries=not.is.null', {
      headers: { prefer: 'count=exact' },
    })
    expect([counted.body, counted.headers?.get('content-range')]).toEqual([[{ id: 1 }], '0-0/1'])
  })

  it('is a list unless a unique key has just the columns of the foreign key', async () => {
    const response = await fetch(`${lab.server.url}/rest/v1/popups?select=title,bio_pages(slug)`, {
      method: 'POST',
      headers: {
        ...lab.ann.headers,
        'content-type': 'application/json',
        prefer: 'return=representation',
      },
      body: JSON.stringify({ user_id: lab.ann.id, title: 'Hello' }),
    })
    expect(await response.json()).toEqual([{ title: 'Hello', bio_pages: [] }])
  })

  it('an embedding needs a grant on the embedded relation', async () => {
    const anon = { who: { headers: { apikey: lab.server.anonKey } } }
    expect(await lab.send('passports?select=person', anon)).toMatchObject({ status: 200 })
    expect(await lab.send('passports?select=person,people(name)', anon)).toMatchObject({
      status: 401,
      body: { code: '42501' },
    })
  })

  it('has no more rows in a list than the door allows', async () => {
    await lab.sql("insert into lab.people select n, 'P' || n, 3 from generate_series(10, 20) n")
    const { body } = await lab.send('places?select=people!people_home(id)&id=eq.3')
    expect((body as { people: unknown[] }[])[0]?.people).toHaveLength(5)
    await lab.sql('delete from lab.people where id >= 10')
  })

  it('refuses an answer of more than 20,000 embedded rows', async () => {
    const door = lab.openDoor({ maxRows: 1_000 })
    await lab.sql(`insert into lab.people select n, 'P' || n, 3 from generate_series(100, 299) n`)
    const path = 'people?select=home(people!people_home(id))&home=eq.3'
    const lists = await lab.send(`${path}&limit=90`, { door })
    expect(lists.status).toBe(200)
    expect((lists.body as { home: { people: unknown[] } }[])[89]?.home.people).toHaveLength(200)
    for (const each of [path, 'people?select=...home(...people!people_home(id))&home=eq.3'])
      expect(await lab.send(each, { door })).toMatchObject({
        status: 400,
        body: { code: 'PT400' },
      })
    await lab.sql('delete from lab.people where id >= 100')
  })
})
