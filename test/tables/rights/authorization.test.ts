import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiCatalog } from '#test/catalog.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { embeddedCells, embeddedOutcomes } from './embedding-matrix.ts'
import { actors, cellsOf, makeMatrix, makeWorld, overHttp, stateOf, type World } from './matrix.ts'
import { inSql } from './matrix-in-sql.ts'
import {
  collapse,
  differences,
  expand,
  expectSigned,
  newlyDenied,
  readSigned,
  type SignedFile,
} from './signed-matrix.ts'

let server: TestServer
let world: World
const cells = [...apiCatalog.relations.keys()].flatMap(cellsOf)
const names = cells.map(({ relation, verb, column }) => `${relation} ${verb} ${column}`)

/** Columns that visitors read are signed one by one. */
const isVisible = (_name: string, outcomes: string) => !/^(denied|none|empty) /.test(outcomes)
const rights: SignedFile = {
  path: fileURLToPath(new URL('authorization-matrix.txt', import.meta.url)),
  name: { relation: 20, verb: 12, column: 24 },
  callers: actors,
  width: 9,
  isNamed: isVisible,
}
const embeddings: SignedFile = {
  path: fileURLToPath(new URL('embedding-matrix.txt', import.meta.url)),
  name: { relation: 20, by: 8, embedded: 20, column: 24 },
  callers: actors,
  width: 8,
  isNamed: isVisible,
}
beforeAll(async () => {
  server = await startTestServer()
  world = await makeWorld(server)
})
afterAll(async () => {
  await world.close()
  await server.close()
})

it('rights over HTTP equal the signed table', { tags: ['extended'] }, async () => {
  const found = await makeMatrix(cells, overHttp(world, await stateOf(world)))
  await expectSigned(rights, found)
})

it('rights over HTTP equal every tenth line of the signed table', async () => {
  const signed = await readSigned(rights, names)
  const sample = cells.filter((_, index) => index % 10 === 0)
  const found = await makeMatrix(sample, overHttp(world, await stateOf(world)))
  expect(newlyDenied(signed, found)).toEqual([])
  const expected = [...signed].filter(([name]) => found.has(name))
  expect(expected).toHaveLength(sample.length)
  expect(differences(new Map(expected), found)).toEqual([])
})

it('the table door allows the same in the database alone, except for the private columns of a public look-up', async () => {
  await world.superuser.query('begin')
  const alone = await makeMatrix(cells, inSql(world))
  await world.superuser.query('rollback')
  // Read after the test before: with `-u` it has just been signed.
  const signed = await readSigned(rights, names)
  // The database shows a row or hides it; the door hides the private columns of other people's rows.
  const hiddenByDoor = ['bio_pages', 'popups', 'shortened_urls'].flatMap((relation) =>
    privateColumns(relation).map((column) => `${relation} lookup ${column}`),
  )
  const inDatabase = new Map([
    ['bio_pages lookup version', 'denied row null null row'],
    ['shortened_urls lookup aliases', 'denied row null row row'],
    ['shortened_urls lookup clicks_before', 'denied row null row row'],
    ['shortened_urls lookup destination_finding', 'denied row null row row'],
    ['shortened_urls lookup first_click_at', 'denied row null row row'],
    ['shortened_urls lookup is_blocked', 'denied row null row row'],
    ['shortened_urls lookup last_click_at', 'denied row null row row'],
  ])
  const password = 'shortened_urls lookup password'
  expect(differences(signed, alone).sort()).toEqual(
    [
      ...[...hiddenByDoor, 'popups select name', 'popups select user_id']
        .filter((cell) => cell !== password)
        .map(
          (cell) =>
            `${cell}: denied row none none row -> ${inDatabase.get(cell) ?? 'denied row row row row'}`,
        ),
      `${password}: denied null none none null -> denied null null null null`,
    ].sort(),
  )
})

function privateColumns(name: string): string[] {
  const { columns = [], access } = apiCatalog.relations.get(name) ?? {}
  return columns.filter((column) => !access?.anon?.select?.includes(column))
}

it('embeddings equal the signed table', { tags: ['extended'] }, async () => {
  await expectSigned(embeddings, await embeddedOutcomes(world, embeddedCells()))
})

describe('a signed table', () => {
  const line = (outcomes: string) => (column: string) =>
    [`popups select ${column}`, outcomes] as const
  const mostly = line('denied row none none row')
  const matrix = new Map([
    line('row row row row row')('title'),
    ...['name', 'color', 'added'].map(mostly),
    line('denied null none none null')('secret'),
  ])

  it('has one line for the columns that behave alike, and one for each that visitors read', () => {
    const lines = collapse(matrix, isVisible)
    expect([...lines.keys()].map((name) => name.split(' ')[2])).toEqual(['title', '*', 'secret'])
    expect(differences(expand(lines, matrix.keys()), matrix)).toEqual([])
    const seen = new Map(['a', 'b', 'c'].map(line('row row row row row')))
    expect(collapse(seen, isVisible)).toEqual(seen)
  })

  it('needs a line for a new column that others read or write', () => {
    const added = new Map([...matrix, line('denied row row none row')('added')])
    expect(differences(expand(collapse(matrix, isVisible), added.keys()), added)).toEqual([
      'popups select added: denied row none none row -> denied row row none row',
    ])
    const other = new Map([...matrix, ['popups insert added', 'done done done done done'] as const])
    expect(differences(expand(collapse(matrix, isVisible), other.keys()), other)).toEqual([
      'popups insert added: absent -> done done done done done',
    ])
  })

  it('keeps a line of a column that has gone', () => {
    const gone = expand(new Map([mostly('gone'), mostly('*')]), ['popups select title'])
    expect([...gone.keys()]).toEqual(['popups select title', 'popups select gone'])
  })

  it('is not signed by -u when a caller is denied who was not, or by a new column', () => {
    const found = new Map([...matrix, line('denied denied denied denied row')('new')])
    const signed = expand(collapse(matrix, isVisible), found.keys())
    expect(newlyDenied(signed, found)).toEqual([
      'popups select new denied denied denied denied row',
    ])
    const lost = new Map([...matrix, line('denied denied none none row')('name')])
    expect(newlyDenied(matrix, lost)).toEqual(['popups select name denied denied none none row'])
    expect(newlyDenied(matrix, matrix)).toEqual([])
  })
})

it('the table door refuses a cell with a null value for the service too', async () => {
  const cell = { relation: 'popups', verb: 'select', column: 'title' } as const
  await expect(makeMatrix([cell], () => Promise.resolve('null'))).rejects.toThrow(
    "popups select title: Ann's row has no value to hide",
  )
})
