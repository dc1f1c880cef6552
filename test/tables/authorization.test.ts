import { readFile, rm, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiCatalog } from '#test/catalog.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import {
  cellsOf,
  differences,
  makeMatrix,
  makeWorld,
  type Matrix,
  overHttp,
  parseMatrix,
  printMatrix,
  stateOf,
  type World,
} from './matrix.ts'
import { inSql } from './matrix-in-sql.ts'

let server: TestServer
let world: World
let signed: Matrix
const cells = [...apiCatalog.relations.keys()].flatMap(cellsOf)
const signedFile = new URL('authorization-matrix.txt', import.meta.url)
/** Written when the outcomes differ. To sign a change, review this file and move it over the signed one. */
const foundFile = new URL('authorization-matrix.found.txt', import.meta.url)

beforeAll(async () => {
  signed = parseMatrix(await readFile(signedFile, 'utf8'))
  server = await startTestServer()
  world = await makeWorld(server)
})
afterAll(async () => {
  await world.close()
  await server.close()
})

it('allows over HTTP exactly what the signed table says', async () => {
  const found = await makeMatrix(cells, overHttp(world, await stateOf(world)))
  await (differences(signed, found).length > 0
    ? writeFile(foundFile, printMatrix(found))
    : rm(foundFile, { force: true }))
  expect(differences(signed, found)).toEqual([])
})

it('allows the same in the database alone, except for the private columns of a public look-up', async () => {
  await world.superuser.query('begin')
  const alone = await makeMatrix(cells, inSql(world))
  await world.superuser.query('rollback')
  // The database shows a row or hides it; the door hides the private columns of other people's rows.
  expect(differences(signed, alone)).toEqual([
    'shortened_urls lookup user_id: denied row none none row -> denied row row row row',
    'shortened_urls lookup show_popup: denied row none none row -> denied row row row row',
    'shortened_urls lookup created_at: denied row none none row -> denied row row row row',
    'popups select user_id: denied row none none row -> denied row row row row',
    'popups lookup user_id: denied row none none row -> denied row row row row',
    'bio_pages lookup user_id: denied row none none row -> denied row row row row',
    'bio_pages lookup version: denied row none none row -> denied row null null row',
  ])
})

describe('the matrix', () => {
  const cell = { relation: 'popups', verb: 'select', column: 'title' } as const

  it('refuses a cell whose value is null for the service too', async () => {
    await expect(makeMatrix([cell], () => Promise.resolve('null'))).rejects.toThrow(
      "popups select title: Ann's row has no value to hide",
    )
  })

  it('compares by cell, wherever its line is', async () => {
    const found = await makeMatrix([cell, { ...cell, column: 'id' }], () => Promise.resolve('row'))
    const lines = printMatrix(found).trimEnd().split('\n')
    const shuffled = parseMatrix([lines[0], lines[2], lines[1]].join('\n'))
    expect(differences(shuffled, found)).toEqual([])
    expect(differences(parseMatrix(lines.slice(0, 2).join('\n')), found)).toEqual([
      'popups select id: absent -> row row row row row',
    ])
  })
})
