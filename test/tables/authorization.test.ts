import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { exposed } from '#server/tables/exposure.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { cellsOf, makeWorld, overHttp, printMatrix, stateOf, type World } from './matrix.ts'
import { inSql } from './matrix-in-sql.ts'

let server: TestServer
let world: World
const cells = [...exposed.keys()].flatMap(cellsOf)

beforeAll(async () => {
  server = await startTestServer()
  world = await makeWorld(server)
})
afterAll(async () => {
  await world.close()
  await server.close()
})

it('has a value for each column, so that no cell is signed off for nothing', () => {
  const missing = [...exposed].flatMap(([relation, { columns }]) =>
    columns
      .filter((column) => world.values[column] === undefined)
      .map((column) => `${relation}.${column}`),
  )
  expect(missing).toEqual([])
})

it(
  'lets everybody do over HTTP exactly what the signed-off table says',
  { timeout: 120_000 },
  async () => {
    const matrix = await printMatrix(cells, overHttp(world, await stateOf(world)))
    await expect(matrix).toMatchFileSnapshot('authorization-matrix.txt')
  },
)

it(
  'says the same in the database alone, but for the private columns of a public look-up',
  { timeout: 60_000 },
  async () => {
    await world.superuser.query('begin')
    const alone = await printMatrix(cells, inSql(world))
    await world.superuser.query('rollback')
    const signed = await readFile(new URL('authorization-matrix.txt', import.meta.url), 'utf8')
    const signedLines = new Set(signed.split('\n'))
    const different = alone.split('\n').filter((line) => !signedLines.has(line))
    // Here a row is visible or not; that a look-up shows six columns fewer to strangers is the door's doing.
    expect(different.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      'shortened_urls lookup user_id denied row row row row',
      'shortened_urls lookup show_popup denied row row row row',
      'shortened_urls lookup created_at denied row row row row',
      'popups select user_id denied row row row row',
      'popups lookup user_id denied row row row row',
      'bio_pages lookup user_id denied row row row row',
      'bio_pages lookup version denied row null null row',
    ])
  },
)
