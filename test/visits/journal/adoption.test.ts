import { createJobs } from '#server/primitives/jobs.ts'
import { randomUUID } from 'node:crypto'
import { appendFile, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openDatabase } from '#server/postgres/database.ts'
import { createLog } from '#server/log.ts'
import { startAdoption } from '#server/visits/journal/adoption.ts'
import { openClickSink } from '#server/visits/counting/click-sink.ts'
import { connectHere } from '#server/visits/counting/counting-here.ts'
import { startCounting } from '#server/visits/counting/counting.ts'
import { timeOrderedUuid } from '#server/visits/journal/journal-files.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { clickRecords, hitStoreOf } from '../hits.ts'
import { countOf, plantLinks } from '../plant.ts'

const log = createLog('silent')
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

let testDatabase: TestDatabase
let sharedDataDir: string
let link: string
beforeEach(async () => {
  testDatabase = await createTestDatabase()
  sharedDataDir = await mkdtemp(join(tmpdir(), 'hoplet-shared-'))
  cleanups.push(
    () => testDatabase.drop(),
    () => rm(sharedDataDir, { recursive: true, force: true }),
  )
  const [planted] = await plantLinks(testDatabase.sql, [
    { code: 'left', url: 'https://example.com/' },
  ])
  if (!planted) throw new Error('nothing planted')
  link = planted.id
})

const counted = () => countOf(testDatabase.sql, link)

const clicks = (count: number) => clickRecords(link, count)

/** The adoption of a server with the subfolder `name` as its data directory. */
async function adoptionOf(name: string, keyId = 'key') {
  const dataDir = join(sharedDataDir, name)
  await mkdir(join(dataDir, 'journal'), { recursive: true })
  const database = openDatabase(testDatabase.url, log)
  const hits = hitStoreOf(database)
  const config = { dataDir, sharedDataDir }
  const adoption = startAdoption({
    config,
    database,
    hits,
    log,
    keyId,
    jobs: createJobs({ log, areTimed: false }),
  })
  cleanups.push(
    () => database.close(),
    () => adoption.close(),
  )
  await adoption.run()
  return { ...adoption, dataDir, database }
}

async function writeSegment(folder: string, bytes: Buffer): Promise<string> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${timeOrderedUuid()}.log`)
  await writeFile(path, bytes)
  return path
}

/** As if the server had shown its last sign of life three minutes ago. */
async function silence(dataDir: string) {
  const alive = join(dataDir, 'alive')
  const { mtimeMs } = await stat(alive)
  const earlier = new Date(mtimeMs - 180_000)
  await utimes(alive, earlier, earlier)
}

it('the server counts the clicks of a server that is gone, and of its workers, once', async () => {
  const gone = await adoptionOf('gone')
  const journal = join(gone.dataDir, 'journal')
  await writeSegment(journal, clicks(300))
  await writeSegment(join(journal, randomUUID()), clicks(50))
  const first = await adoptionOf('first')
  const second = await adoptionOf('second')
  expect(await counted()).toBe(0)

  await silence(gone.dataDir)
  await Promise.all([first.run(), second.run()])
  await Promise.all([first.run(), second.run()])
  expect(await counted()).toBe(350)
  expect(first.totals().applied + second.totals().applied).toBe(350)
  // The files stay: a server that comes back finds its journal as it was.
  expect(await readdir(journal, { recursive: true })).toHaveLength(3)
})

it('the server counts once beside a server that only seemed to be gone', async () => {
  const paused = await adoptionOf('paused')
  const other = await adoptionOf('other')
  const { dataDir, database } = paused
  const clicksConfig = {
    mode: 'journal' as const,
    fsync: false,
    reserveBytes: 0,
    stream: undefined,
  }
  const config = { dataDir, sharedDataDir: undefined, clicks: clicksConfig, workers: 1 }
  const counting = startCounting({ config, database, log, keyId: 'key' })
  const server = openClickSink({ config, database, port: connectHere(counting), log })
  for (let round = 0; round < 5; round++) {
    server.write(clicks(40), () => {})
    await silence(dataDir)
    await other.run()
  }
  server.write(clicks(1), () => {})
  await server.close()
  expect(await counted()).toBe(201)
})

it('the server removes files of a server that is gone after two days, and never what is not counted', async () => {
  const gone = await adoptionOf('gone')
  const journal = join(gone.dataDir, 'journal')
  const counts = await writeSegment(journal, clicks(10))
  const outdated = new Date(Date.now() - 49 * 3_600_000)
  await utimes(counts, outdated, outdated)
  // Its first 100 bytes are still in the click stream.
  await writeFile(join(journal, `${timeOrderedUuid()}@100.log`), clicks(10))
  await writeSegment(journal, clicks(5))
  await silence(gone.dataDir)
  await (await adoptionOf('other')).run()
  expect(await counted()).toBe(15)
  expect(await readdir(journal)).toHaveLength(2)
})

it('the server leaves folders alone that belong to another deployment, or to none', async () => {
  const foreign = await adoptionOf('foreign', 'another key')
  await writeSegment(join(foreign.dataDir, 'journal'), clicks(10))
  await silence(foreign.dataDir)
  await writeSegment(join(sharedDataDir, 'none', 'journal'), clicks(10))
  await appendFile(join(sharedDataDir, 'a file'), 'text')
  const other = await adoptionOf('other')
  expect(await counted()).toBe(0)
  // With the same key it is one of ours.
  await writeFile(join(foreign.dataDir, 'alive'), 'key\n')
  await silence(foreign.dataDir)
  await other.run()
  expect(await counted()).toBe(10)
})
