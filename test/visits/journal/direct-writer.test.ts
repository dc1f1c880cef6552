import { afterEach, expect, it } from 'vitest'
import { type Database, DatabaseUnavailableError, openDatabase } from '#server/postgres/database.ts'
import { createBreaker } from '#server/primitives/breaker.ts'
import { encodeClick, maxRecordSize } from '#server/visits/record/click-record.ts'
import { detailNames, maxDetailBytes, maxTextBytes } from '#server/visits/visitor/visitor-facts.ts'
import { createDirectWriter } from '#server/visits/counting/direct-writer.ts'
import { createTestDatabase } from '#test/database.ts'
import { recordLog } from '#test/record-log.ts'
import { hitStoreOf } from '../hits.ts'
import { countOf, plantLinks } from '../plant.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

const recordsPerBatch = 1_000
const batchBytes = recordsPerBatch * maxRecordSize
const maxKeptBytes = 16 * 1024 ** 2

/** A writer on a database that can be taken away, and a batch of 1,000 clicks with the longest texts there are. */
async function setUp() {
  const store = await createTestDatabase()
  const { log, lines } = recordLog()
  const real = openDatabase(store.url, log)
  cleanups.push(
    () => store.drop(),
    () => real.close(),
  )
  const state = { isDown: false }
  const database: Database = {
    ...real,
    async transactionAs(actor, work) {
      if (state.isDown) throw new DatabaseUnavailableError('down')
      return real.transactionAs(actor, work)
    },
  }
  const [link] = await plantLinks(store.sql, [{ code: 'kept', url: 'https://example.com/' }])
  if (!link) throw new Error('nothing planted')
  const browser = { isBot: false, userAgent: Buffer.alloc(512, 'u') }
  const { referrer, query, language, place } = maxTextBytes
  const visitor = {
    verdict: 'counted',
    browser,
    referrer: 'r'.repeat(referrer),
    query: 'q'.repeat(query),
    details: Object.fromEntries(detailNames.map((name) => [name, 'd'.repeat(maxDetailBytes)])),
    language: 'l'.repeat(language),
    identity: { hash: Buffer.alloc(8), place: Buffer.alloc(place, 'p') },
  } as const
  const batch = Buffer.alloc(batchBytes)
  let size = 0
  for (let i = 0; i < recordsPerBatch; i++)
    size = encodeClick(batch, size, Date.now(), 'link', link.id, visitor)
  expect(size).toBe(batchBytes)
  // With retryMs 0 the breaker lets each attempt through, so that only the memory limit is at work.
  const breaker = createBreaker({ maxFailures: 3, retryMs: 0 }, () => performance.now())
  const writer = createDirectWriter({ database, breaker, hits: hitStoreOf(database), log })
  return { batch, writer, state, lines, count: () => countOf(store.sql, link.id) }
}

const lostIn = (lines: Record<string, unknown>[]) =>
  lines
    .filter(({ msg }) => msg === 'clicks were lost')
    .reduce((sum, { clicks }) => sum + Number(clicks), 0)

it('the direct writer keeps at most 16 MiB of clicks in memory, logs what it drops, and counts the rest later', async () => {
  const { batch, writer, state, lines, count } = await setUp()
  const keptBatches = Math.floor(maxKeptBytes / batchBytes)
  const droppedBatches = 5
  state.isDown = true
  for (let i = 0; i < keptBatches; i++) await writer.write(batch)
  // The control: up to the limit nothing is dropped.
  expect(writer.status().lost).toBe(0)
  for (let i = 0; i < droppedBatches; i++) await writer.write(batch)
  expect(writer.status()).toMatchObject({ applied: 0, lost: droppedBatches * recordsPerBatch })
  expect(lostIn(lines)).toBe(droppedBatches * recordsPerBatch)

  state.isDown = false
  await writer.close()
  expect(await count()).toBe(keptBatches * recordsPerBatch)
  expect(writer.status()).toMatchObject({
    applied: keptBatches * recordsPerBatch,
    lost: droppedBatches * recordsPerBatch,
  })
})
