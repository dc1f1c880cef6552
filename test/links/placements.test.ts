import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { visit } from '#test/visits/visit.ts'
import { makeLink, type RuledLink, save } from './rules.ts'

let server: TestServer
let owner: Account
beforeAll(async () => {
  server = await startTestServer()
  owner = await makeAccount(server, { plan: 'business' })
})
afterAll(() => server.close())

interface Placement {
  id: string
  link_id: string
  name: string
  mark: string
  utm_source: string
}

const create = (link: Pick<RuledLink, 'id'>, names: unknown, utm?: object, who = owner) =>
  send(server, who, 'POST', 'rpc/create_placements', { _link: link.id, _names: names, _utm: utm })

async function made(link: RuledLink, names: string[], utm?: object): Promise<Placement[]> {
  const { status, body } = await create(link, names, utm)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body as Placement[]
}

const placementsOf = async (link: RuledLink, who = owner) =>
  (await send(server, who, 'GET', `placements?link_id=eq.${link.id}&order=created_at`))
    .body as Placement[]

const names = (count: number, word = 'Table') =>
  Array.from({ length: count }, (_, i) => `${word} ${i + 1}`)
const patient = { timeout: 240_000 }

describe('placements of a link', () => {
  it('come from a list of names, in its order, each with another short mark', async () => {
    const link = await makeLink(server, owner)
    const tables = await made(link, [' Table 1 ', 'Table 2', 'Fenster “Süd”'])
    expect(tables.map(({ name, link_id }) => [name, link_id])).toEqual([
      ['Table 1', link.id],
      ['Table 2', link.id],
      ['Fenster “Süd”', link.id],
    ])
    const more = await made(link, names(797, 'Seat'))
    const marks = [...tables, ...more].map(({ mark }) => mark)
    expect(new Set(marks).size).toBe(800)
    const lengths = marks.map((mark) => mark.length)
    expect(lengths).toEqual([...Array(784).fill(2), ...Array(16).fill(3)])
    expect(marks.filter((mark) => !/^[2-9bcdfghjkmnpqrstvwxyz]+$/.test(mark))).toEqual([])
    // Another link begins somewhere else.
    const other = await makeLink(server, owner)
    expect((await made(other, names(20))).map(({ mark }) => mark)).not.toEqual(marks.slice(0, 20))
  })

  it('never get a mark again that a deleted one had', async () => {
    const link = await makeLink(server, owner)
    const first = await made(link, names(500))
    await send(server, owner, 'DELETE', `placements?link_id=eq.${link.id}`)
    expect(await placementsOf(link)).toEqual([])
    const marks = new Set(first.map(({ mark }) => mark))
    const second = await made(link, names(500))
    expect(second.filter(({ mark }) => marks.has(mark))).toEqual([])
  })

  it('have marks of every length exactly once', async () => {
    const rows = await server.sql<{ length: number; marks: string; all: string }>(
      `select length(m) as length, count(distinct m)::text as marks, count(*)::text as all
        from generate_series(0, 784 + 21952 + 5000 - 1) n
          cross join app.placement_mark('0b7cf5b5-9f23-4c2e-9d0a-2a1b6f1f8a01', n) m group by 1 order by 1`,
    )
    expect(rows).toEqual([
      { length: 2, marks: '784', all: '784' },
      { length: 3, marks: '21952', all: '21952' },
      { length: 4, marks: '5000', all: '5000' },
    ])
  })

  it('are made all or none, and the first problem has a sentence', async () => {
    const link = await makeLink(server, owner)
    await made(link, ['Window'])
    const refused: [unknown, string][] = [
      [['Door', ' ', 'x'.repeat(81)], 'The name of placement 2 is empty.'],
      [['Door', null], 'The name of placement 2 is empty.'],
      [['\u200b'], 'The name of placement 1 is empty.'],
      [['Door', 'x'.repeat(81)], 'The name of placement 2 has 81 characters; the most is 80.'],
      [['a\nb'], 'The name of placement 1 has a line break or a tab.'],
      [['Door', 'Bar', 'DOOR'], '“DOOR” is in the list twice.'],
      [['Door', 'window'], 'This link already has a placement “window”.'],
      [[], 'Please name at least one placement.'],
      [names(1_000), 'A link has at most 1,000 placements. Please delete some first.'],
    ]
    for (const [list, message] of refused) {
      const { status, body } = await create(link, list)
      expect([status, (body as { message: string }).message]).toEqual([400, message])
    }
    expect(await placementsOf(link)).toMatchObject([{ name: 'Window' }])
    const utms: [object, string][] = [
      [{ utm_id: 'x' }, 'Unknown UTM field: utm_id'],
      [{ utm_source: 1 }, 'Unknown UTM field: utm_source'],
      [['utm_source'], '_utm is an object such as {"utm_source": "poster"}'],
      [
        { utm_source: 'x'.repeat(101) },
        'A UTM field of a placement has at most 100 characters, and all of them 500 bytes',
      ],
    ]
    for (const [utm, message] of utms)
      expect(await create(link, ['Door'], utm)).toMatchObject({ status: 400, body: { message } })
    // Control: the same list without its problem.
    expect(await made(link, ['Door', 'Bar', 'x'.repeat(80)])).toHaveLength(3)
  })

  it('are at most 10,000 in an account', async () => {
    const rich = await makeAccount(server, { plan: 'business' })
    const links = await Promise.all([makeLink(server, rich), makeLink(server, rich)])
    const [full, next] = links
    // Planted in ten links, because a link has 1,000.
    await server.sql(
      `insert into app.placements (link_id, user_id, name, mark)
        select $1, $2, 'n' || n, lpad(to_hex(n), 4, '0') from generate_series(1, 9999) n`,
      [full.id, rich.id],
    )
    const { status, body } = await create(next, ['One', 'Two'], undefined, rich)
    expect([status, (body as { message: string }).message]).toEqual([
      400,
      'An account has at most 10,000 placements. Please delete some first.',
    ])
    expect((await create(next, ['One'], undefined, rich)).status).toBe(200)
  })

  it('keep their bounds when two requests make them at once', async () => {
    const link = await makeLink(server, owner)
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((word) => create(link, names(400, word))),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(2)
    const rows = await server.sql<{ marks: string; n: string }>(
      'select count(distinct mark) as marks, count(*) as n from app.placements where link_id = $1',
      [link.id],
    )
    expect(rows).toEqual([{ marks: '800', n: '800' }])
  })

  it('are their owner’s alone, who renames and deletes them', async () => {
    const link = await makeLink(server, owner)
    const [one, two] = await made(link, ['One', 'Two'])
    const other = await makeAccount(server, { plan: 'business' })
    expect(await placementsOf(link, other)).toEqual([])
    expect(await create(link, ['Foreign'], undefined, other)).toMatchObject({
      status: 404,
      body: { message: 'Your account has no such link.' },
    })
    const path = `placements?id=eq.${one?.id}`
    await send(server, other, 'PATCH', path, { name: 'Mine' })
    await send(server, other, 'DELETE', path)
    expect(await placementsOf(link)).toMatchObject([{ name: 'One' }, { name: 'Two' }])
    expect((await send(server, undefined, 'GET', 'placements')).status).toBe(401)

    expect((await send(server, owner, 'PATCH', path, { name: ' First ' })).status).toBe(204)
    expect(await send(server, owner, 'PATCH', path, { name: 'TWO' })).toMatchObject({
      status: 409,
      body: { message: 'This link already has a placement with this name' },
    })
    expect(await send(server, owner, 'PATCH', path, { name: '' })).toMatchObject({ status: 400 })
    for (const fixed of [{ mark: 'zz' }, { link_id: link.id }])
      expect((await send(server, owner, 'PATCH', path, fixed)).status).toBe(403)
    await send(server, owner, 'DELETE', `placements?id=eq.${two?.id}`)
    expect(await placementsOf(link)).toMatchObject([{ name: 'First', mark: one?.mark }])

    await send(server, owner, 'DELETE', `shortened_urls?id=eq.${link.id}`)
    const left =
      'select 1 from app.placements where link_id = $1 union all select 1 from app.placement_draws where link_id = $1'
    expect(await server.sql(left, [link.id])).toEqual([])
  })

  it('are in the account’s export', async () => {
    const person = await makeAccount(server, { plan: 'business' })
    const link = await makeLink(server, person)
    await create(link, ['Table 1'], undefined, person)
    const response = await fetch(`${server.url}/auth/v1/user/export`, { headers: person.headers })
    expect(JSON.parse(await response.text())).toMatchObject({
      placements: [{ link_id: link.id, name: 'Table 1' }],
    })
  })
})

describe('the campaign of a placement', () => {
  const destination = 'https://example.com/menu?lang=en&utm_source=own&utm_medium=web#top'
  const open = async ({ short_code: code }: RuledLink, mark: string, query = '') =>
    (await visit(server.url, `/q/${code}/${mark}${query}`)).location

  it('replaces that of the destination at a visit with its mark, and nothing else', async () => {
    const link = await makeLink(server, owner, { original_url: destination })
    // In memory before there is a placement.
    expect(await open(link, 'zz')).toBe(destination)
    const [poster] = await made(link, ['Poster'], { utm_source: 'poster', utm_content: 'a & b' })
    const [plain] = await made(link, ['Plain'])
    const placed =
      'https://example.com/menu?lang=en&utm_medium=web&utm_source=poster&utm_content=a%20%26%20b#top'
    await vi.waitFor(async () => expect(await open(link, poster?.mark ?? '')).toBe(placed), patient)
    expect(await open(link, poster?.mark.toUpperCase() ?? '')).toBe(placed)
    for (const mark of [plain?.mark ?? '', '22', 'zzzz']) {
      if (mark !== poster?.mark) expect(await open(link, mark)).toBe(destination)
    }
    expect((await visit(server.url, `/${link.short_code}?qr`)).location).toBe(destination)

    await send(server, owner, 'PATCH', `placements?id=eq.${poster?.id}`, {
      utm_source: 'window',
      utm_content: '',
    })
    await vi.waitFor(
      async () =>
        expect(await open(link, poster?.mark ?? '')).toBe(
          'https://example.com/menu?lang=en&utm_medium=web&utm_source=window#top',
        ),
      patient,
    )
    await send(server, owner, 'DELETE', `placements?id=eq.${poster?.id}`)
    await vi.waitFor(
      async () => expect(await open(link, poster?.mark ?? '')).toBe(destination),
      patient,
    )
  })

  it('goes to the address that a rule chooses, and to visitors of a former code', async () => {
    const link = await makeLink(server, owner, {
      short_code: 'placed-old',
      original_url: destination,
      forward_query: 'all',
      forward_overrides: true,
    })
    const [poster] = await made(link, ['Poster'], { utm_source: 'poster' })
    const mark = poster?.mark ?? ''
    await save(server, owner, link, 0, [
      { when: [{ fact: 'query', name: 'qr', is: [`=${mark}`] }], to: 'https://example.com/ruled' },
    ])
    const ruled = 'https://example.com/ruled?utm_source=poster'
    await vi.waitFor(async () => expect(await open(link, mark)).toBe(ruled), patient)
    // The query of a visit is more than the print.
    expect(await open(link, mark, '?utm_source=hand&a=b')).toBe(
      'https://example.com/ruled?utm_source=hand&a=b',
    )
    await send(server, owner, 'POST', 'rpc/rename_link', { _link: link.id, _code: 'placed-new' })
    await vi.waitFor(async () => expect(await open(link, mark)).toBe(ruled), patient)
    await send(server, owner, 'PATCH', `placements?id=eq.${poster?.id}`, { utm_source: 'other' })
    for (const code of ['placed-old', 'placed-new'])
      await vi.waitFor(
        async () =>
          expect(await open({ ...link, short_code: code }, mark)).toBe(
            'https://example.com/ruled?utm_source=other',
          ),
        patient,
      )
  })
})
