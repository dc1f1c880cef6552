import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLab } from '../lab.ts'

/** Filters, select and order as a table of requests and answers, on columns of many types. */

let lab: Awaited<ReturnType<typeof openLab>>
beforeAll(async () => {
  lab = await openLab()
})
afterAll(() => lab.close())

const ids = async (path: string) => {
  const { status, body } = await lab.send(path)
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
    expect(await lab.send(`places?${filter}`)).toMatchObject({ status, body: { code } })
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
    const { body } = await lab.send(path)
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
      expect(await lab.send(path)).toMatchObject({ status: 400, body: { code: 'PGRST123' } })
      expect((await lab.send(path, { door: lab.openDoor({ aggregates: true }) })).body).toEqual(
        expected,
      )
    }
  })
})
