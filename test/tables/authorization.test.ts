import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { apiCatalog } from '#test/catalog.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { embeddedCells, embeddedOutcomes } from './embedding-matrix.ts'
import {
  actors,
  cellsOf,
  differences,
  newlyDenied,
  makeMatrix,
  makeWorld,
  overHttp,
  parseMatrix,
  printMatrix,
  stateOf,
  type World,
} from './matrix.ts'
import { inSql } from './matrix-in-sql.ts'

let server: TestServer
let world: World
const cells = [...apiCatalog.relations.keys()].flatMap(cellsOf)
/** To sign a change, run this test with `-u` and review the diff of the file. */
const signedFile = fileURLToPath(new URL('authorization-matrix.txt', import.meta.url))
const embeddingFile = fileURLToPath(new URL('embedding-matrix.txt', import.meta.url))
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
  const signed = parseMatrix(await readFile(signedFile, 'utf8'))
  expect(newlyDenied(signed, found), 'not by -u: delete these lines, if they are meant').toEqual([])
  await expect(printMatrix(found)).toMatchFileSnapshot(signedFile)
})

it('rights over HTTP equal every tenth line of the signed table', async () => {
  const signed = parseMatrix(await readFile(signedFile, 'utf8'))
  const sample = cells.filter((_, index) => index % 10 === 0)
  const found = await makeMatrix(sample, overHttp(world, await stateOf(world)))
  expect(newlyDenied(signed, found)).toEqual([])
  const expected = [...signed].filter(([name]) => found.has(name))
  expect(expected).toHaveLength(sample.length)
  expect(differences(new Map(expected), found)).toEqual([])
})

it('allows the same in the database alone, except for the private columns of a public look-up', async () => {
  await world.superuser.query('begin')
  const alone = await makeMatrix(cells, inSql(world))
  await world.superuser.query('rollback')
  // Read after the test before: with `-u` it has just been signed.
  const signed = parseMatrix(await readFile(signedFile, 'utf8'))
  // The database shows a row or hides it; the door hides the private columns of other people's rows.
  const hiddenByDoor = ['bio_pages', 'popups', 'shortened_urls'].flatMap((relation) =>
    privateColumns(relation).map((column) => `${relation} lookup ${column}`),
  )
  const inDatabase = new Map([
    ['bio_pages lookup version', 'denied row null null row'],
    ['shortened_urls lookup aliases', 'denied row null row row'],
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
  const lines = await embeddedOutcomes(world, embeddedCells())
  const head = `${['relation', 'by', 'embedded', 'column'].map((each) => each.padEnd(17)).join('')}${actors.map((each) => each.padEnd(8)).join('')}`
  await expect(`${[head.trimEnd(), ...lines].join('\n')}\n`).toMatchFileSnapshot(embeddingFile)
})

it('names the cells that would be denied to somebody anew', () => {
  const signed = new Map([
    ['popups select title', 'denied row none none row'],
    ['popups select gone', 'denied row none none row'],
  ])
  const found = new Map([
    ['popups select title', 'denied denied none none row'],
    ['popups select added', 'denied denied denied denied row'],
  ])
  expect(newlyDenied(signed, found)).toEqual(['popups select title'])
  expect(newlyDenied(signed, signed)).toEqual([])
})

it('refuses a cell with a null value for the service too', async () => {
  const cell = { relation: 'popups', verb: 'select', column: 'title' } as const
  await expect(makeMatrix([cell], () => Promise.resolve('null'))).rejects.toThrow(
    "popups select title: Ann's row has no value to hide",
  )
})
