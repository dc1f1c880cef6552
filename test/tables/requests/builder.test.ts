import {
  PostgrestBuilder,
  PostgrestClient,
  PostgrestFilterBuilder,
  PostgrestQueryBuilder,
  PostgrestTransformBuilder,
} from '@supabase/postgrest-js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openLab } from '../lab.ts'

/** Each method of the official client's query builder once, against the running door. */

let lab: Awaited<ReturnType<typeof openLab>>
let db: PostgrestClient
const used = new Set<string>()

beforeAll(async () => {
  lab = await openLab()
  db = new PostgrestClient('http://localhost/rest/v1', {
    headers: lab.ann.headers,
    fetch: (input, init) => lab.answer(new Request(input, init)),
  })
})
afterAll(() => lab.close())

const places = () => db.from('places')
const ordered = () => places().select('id').order('id')
type Filtered = ReturnType<typeof ordered>
const found = async (query: PromiseLike<{ data: unknown; error: unknown }>) => {
  const { data, error } = await query
  return error ?? data
}

const filters: Record<string, [(query: Filtered) => Filtered, number[]]> = {
  eq: [(q) => q.eq('name', 'Attic'), [1]],
  neq: [(q) => q.neq('name', 'Attic'), [2, 3]],
  gt: [(q) => q.gt('id', 1), [2, 3]],
  gte: [(q) => q.gte('id', 2), [2, 3]],
  lt: [(q) => q.lt('id', 2), [1]],
  lte: [(q) => q.lte('id', 2), [1, 2]],
  like: [(q) => q.like('name', '%red'), [2]],
  likeAllOf: [(q) => q.likeAllOf('name', ['B%', '%red']), [2]],
  likeAnyOf: [(q) => q.likeAnyOf('name', ['A%', '%red']), [1, 2]],
  ilike: [(q) => q.ilike('name', 'a%'), [1]],
  ilikeAllOf: [(q) => q.ilikeAllOf('name', ['b%', '%RED']), [2]],
  ilikeAnyOf: [(q) => q.ilikeAnyOf('name', ['a%', '%RED']), [1, 2]],
  is: [(q) => q.is('parent_id', null), [1]],
  isDistinct: [(q) => q.isDistinct('parent_id', 1), [1]],
  in: [(q) => q.in('name', ['Barn, red', 'Cellar']), [2, 3]],
  notIn: [(q) => q.notIn('name', ['Barn, red', 'Cellar']), [1]],
  contains: [(q) => q.contains('tags', ['old']).contains('data', { floor: 1 }), [2]],
  containedBy: [(q) => q.containedBy('tags', ['old', 'high']), [1]],
  rangeGt: [(q) => q.rangeGt('span', '[1,5)'), [2]],
  rangeGte: [(q) => q.rangeGte('span', '[2,3)'), [2, 3]],
  rangeLt: [(q) => q.rangeLt('span', '[5,6)'), [1, 3]],
  rangeLte: [(q) => q.rangeLte('span', '[1,5)'), [1, 3]],
  rangeAdjacent: [(q) => q.rangeAdjacent('span', '[5,6)'), [1]],
  overlaps: [(q) => q.overlaps('tags', ['wide']), [2]],
  textSearch: [
    (q) => q.textSearch('doc', 'running cat', { type: 'plain', config: 'english' }),
    [1],
  ],
  match: [(q) => q.match({ id: 2, parent_id: 1 }), [2]],
  not: [(q) => q.not('tags', 'is', null), [1, 2]],
  or: [(q) => q.or('id.eq.1,and(id.gt.2,name.like.C*)'), [1, 3]],
  filter: [(q) => q.filter('data->>floor', 'eq', '3'), [1]],
  limit: [(q) => q.limit(2), [1, 2]],
  range: [(q) => q.range(1, 2), [2, 3]],
  abortSignal: [(q) => q.abortSignal(AbortSignal.timeout(60_000)), [1, 2, 3]],
  setHeader: [(q) => q.setHeader('x-mine', '1'), [1, 2, 3]],
  retry: [(q) => q.retry(false), [1, 2, 3]],
  throwOnError: [(q) => q.throwOnError() as unknown as Filtered, [1, 2, 3]],
  returns: [(q) => q.returns<unknown[]>() as unknown as Filtered, [1, 2, 3]],
  overrideTypes: [(q) => q.overrideTypes<unknown[]>() as unknown as Filtered, [1, 2, 3]],
}

it.each(Object.entries(filters))('%s', async (name, [narrow, expected]) => {
  used.add(name)
  expect(await found(narrow(ordered()))).toEqual(expected.map((id) => ({ id })))
})

const others: Record<string, () => Promise<void>> = {
  async from() {
    expect(await found(db.from('passports').select())).toEqual([{ person: 1, number: 'X1' }])
  },
  async schema() {
    expect(await found(db.schema('lab').from('passports').select('number'))).toHaveLength(1)
    expect(await found(db.schema('app').from('links').select())).toMatchObject({ code: 'PGRST106' })
  },
  async rpc() {
    const query = db.rpc('people_at', { place: 1 }, { get: true }).select('name').order('name')
    expect(await found(query)).toEqual([{ name: 'Ada' }, { name: 'Ben' }])
  },
  async select() {
    const { data, count } = await db
      .from('people')
      .select('name, home(name), stays(nights)', { count: 'exact' })
      .order('nights', { referencedTable: 'stays' })
      .limit(1)
    expect({ data, count }).toEqual({
      data: [{ name: 'Ada', home: { name: 'Attic' }, stays: [{ nights: 1 }, { nights: 3 }] }],
      count: 3,
    })
  },
  async insert() {
    const rows = [
      { id: 20, name: 'Den' },
      { id: 21, name: 'Eyrie' },
    ]
    expect(await found(places().insert(rows).select('id'))).toEqual([{ id: 20 }, { id: 21 }])
  },
  async upsert() {
    const upsert = places().upsert({ id: 20, name: 'Den!' }, { onConflict: 'id' })
    expect(await found(upsert.select('name'))).toEqual([{ name: 'Den!' }])
    const ignored = places().upsert({ id: 20, name: 'no' }, { ignoreDuplicates: true })
    expect(await found(ignored.select('name'))).toEqual([])
  },
  async update() {
    const query = places().update({ name: 'Den?' }).eq('id', 20).select('name')
    expect(await found(query)).toEqual([{ name: 'Den?' }])
  },
  async maxAffected() {
    const query = places().update({ name: 'x' }).in('id', [20, 21]) as unknown as {
      maxAffected(rows: number): PromiseLike<{ data: unknown; error: unknown }>
    }
    expect(await found(query.maxAffected(1))).toMatchObject({ code: 'PGRST124' })
  },
  async delete() {
    const query = places().delete().in('id', [20, 21]).select('id').order('id')
    expect(await found(query)).toEqual([{ id: 20 }, { id: 21 }])
  },
  async order() {
    const query = places().select('id').order('at', { ascending: false, nullsFirst: true })
    expect(await found(query)).toEqual([{ id: 3 }, { id: 2 }, { id: 1 }])
  },
  async single() {
    expect(await found(places().select('id').eq('id', 1).single())).toEqual({ id: 1 })
    expect(await found(places().select('id').single())).toMatchObject({ code: 'PGRST116' })
  },
  async maybeSingle() {
    expect(await found(places().select('id').eq('id', 99).maybeSingle())).toBeNull()
  },
  async csv() {
    expect(await found(places().select('id, name').eq('id', 2).csv())).toBe(
      'id,name\n2,"Barn, red"',
    )
  },
  async stripNulls() {
    const query = db.from('people').select('id, work').eq('id', 2).stripNulls()
    expect(await found(query)).toEqual([{ id: 2 }])
  },
}

it.each(Object.entries(others))('%s', async (name, run) => {
  used.add(name)
  await run()
})

it('the table door refuses unserved features by name: regular expressions, maps, plans and rollbacks', async () => {
  const refused = {
    regexMatch: ordered().regexMatch('name', '^A'),
    regexIMatch: ordered().regexIMatch('name', '^a'),
    geojson: ordered().geojson(),
    explain: ordered().explain(),
    rollback: places().insert({ id: 22, name: 'Fort' }).rollback(),
  }
  const codes: Record<string, unknown> = {}
  for (const [name, query] of Object.entries(refused)) {
    used.add(name)
    const error = (await found(query as Filtered)) as { code: string }
    codes[name] = error.code
  }
  expect(codes).toEqual({
    regexMatch: 'PGRST100',
    regexIMatch: 'PGRST100',
    geojson: 'PGRST107',
    explain: 'PGRST107',
    rollback: 'PGRST122',
  })
  expect(await found(places().select('id').eq('id', 22))).toEqual([])
})

it('the table door leaves out no method of the client', () => {
  const builders = [
    PostgrestClient,
    PostgrestQueryBuilder,
    PostgrestFilterBuilder,
    PostgrestTransformBuilder,
    PostgrestBuilder,
  ]
  const methods = builders.flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype))
  // Each await above calls `then`.
  const inner = ['constructor', 'cloneRequestState', 'processResponse', 'then']
  expect([...new Set(methods)].filter((name) => !used.has(name) && !inner.includes(name))).toEqual(
    [],
  )
})
