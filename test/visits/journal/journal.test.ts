import { randomUUID } from 'node:crypto'
import { closeSync, writeSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { createLog } from '#server/log.ts'
import { openDatabase } from '#server/postgres/database.ts'
import { removeOldFiles, startApplier } from '#server/visits/counting/applier.ts'
import { encodeClick, maxRecordSize } from '#server/visits/record/click-record.ts'
import { openJournal } from '#server/visits/journal/journal.ts'
import {
  keepReserve,
  openJournalReserve,
  pieceBytes,
} from '#server/visits/journal/journal-reserve.ts'
import { createRunAsVisits } from '#server/visits/counting/segment-applier.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { recordLog } from '#test/record-log.ts'
import { hitStoreOf, newerRecord, plainVisitor } from '../hits.ts'
import { countOf, plantLinks, type Planted } from '../plant.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

async function setUp(
  links: number,
): Promise<{ database: TestDatabase; folder: string; planted: Planted[] }> {
  const database = await createTestDatabase()
  const folder = join(await mkdtemp(join(tmpdir(), 'hoplet-journal-')), 'journal')
  await mkdir(folder)
  cleanups.push(
    () => database.drop(),
    () => rm(join(folder, '..'), { recursive: true }),
  )
  const planted = await plantLinks(
    database.sql,
    Array.from({ length: links }, (_, i) => ({
      code: `journal-${i}`,
      url: 'https://example.com/',
    })),
  )
  return { database, folder, planted }
}

/** The content of a segment that a dead process left: `records` clicks on one link. */
function segmentOf(link: Planted, records: number): { bytes: Buffer; ends: number[] } {
  const bytes = Buffer.alloc(records * maxRecordSize)
  const visitor = { ...plainVisitor, referrer: 'https://social.example/' }
  const ends: number[] = []
  let size = 0
  for (let i = 0; i < records; i++)
    ends.push((size = encodeClick(bytes, size, Date.now(), 'link', link.id, visitor)))
  return { bytes: bytes.subarray(0, size), ends }
}

/** Runs an applier on this folder until everything is applied. */
async function applyAll(database: TestDatabase, folder: string, log = createLog('silent')) {
  const opened = openDatabase(database.url, log)
  const applier = startApplier({
    journal: openJournal(folder, { fsync: false }),
    database: opened,
    hits: hitStoreOf(opened),
    log,
  })
  await applier.close(120_000)
  await opened.close()
  return applier.status()
}

describe('a damaged journal', () => {
  it(
    'loses only the damaged records: 200 cuts and flipped bits',
    { tags: ['extended'] },
    async () => {
      const records = 20
      const { database, folder, planted } = await setUp(200)
      const damage = fc.noBias(
        fc.record({ cut: fc.boolean(), at: fc.integer({ min: 0, max: 9_999 }), bit: fc.nat(7) }),
      )
      const expected: { id: string; count: number }[] = []
      let damaged = 0
      for (const [i, { cut, at, bit }] of fc.sample(damage, { numRuns: 200, seed: 26 }).entries()) {
        const link = planted[i]
        if (!link) throw new Error('too few links')
        const { bytes, ends } = segmentOf(link, records)
        const offset = Math.floor((at / 10_000) * bytes.length)
        if (!cut) bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit)
        const left = cut ? bytes.subarray(0, offset) : bytes
        await writeFile(join(folder, `${randomUUID()}.log`), left)
        const count = cut ? ends.filter((end) => end <= offset).length : records - 1
        expected.push({ id: link.id, count })
        if (!cut || (offset > 0 && !ends.includes(offset))) damaged++
      }
      const status = await applyAll(database, folder)
      const counted = await Promise.all(
        expected.map(async ({ id }) => ({ id, count: await countOf(database.sql, id) })),
      )
      expect(counted).toEqual(expected)
      expect(status).toMatchObject({ corrupt: damaged, orphaned: 0 })

      // The next start counts nothing again.
      expect(await applyAll(database, folder)).toMatchObject({ applied: 0 })
    },
  )

  it('is not one with records of a later version: the reader stops there, says so once, and skips none', async () => {
    const { database, folder, planted } = await setUp(2)
    const [one, two] = planted
    if (!one || !two) throw new Error('no link')
    const { log, lines } = recordLog()
    const stopped = randomUUID()
    const { bytes } = segmentOf(one, 2)
    const parts = [bytes, newerRecord(3_000), segmentOf(one, 1).bytes]
    await writeFile(join(folder, `${stopped}.log`), Buffer.concat(parts))
    // The clicks of another process are counted (control).
    await writeFile(join(folder, `${randomUUID()}.log`), segmentOf(two, 3).bytes)
    expect(await applyAll(database, folder, log)).toMatchObject({ applied: 5, corrupt: 0 })
    expect(lines).toMatchObject([{ source: stopped, version: 4 }])
    expect(await countOf(database.sql, one.id)).toBe(2)
    const marks = 'select applied_bytes::int as at from app.click_segments where segment_id = $1'
    expect(await database.sql(marks, [stopped])).toEqual([{ at: bytes.length }])
    expect(await readdir(folder)).toContain(`${stopped}.log`)
  })

  it('is logged with the segment and the number of damaged records', async () => {
    const { database, folder, planted } = await setUp(1)
    const [link] = planted
    if (!link) throw new Error('no link')
    const { log, lines } = recordLog()
    const intact = randomUUID()
    await writeFile(join(folder, `${intact}.log`), segmentOf(link, 5).bytes)
    await applyAll(database, folder, log)
    // The control: an intact segment is not reported.
    expect(lines).toEqual([])

    const damaged = randomUUID()
    const { bytes, ends } = segmentOf(link, 5)
    for (const offset of [ends[0], ends[2]]) bytes.fill(0xff, offset, (offset ?? 0) + 10)
    await writeFile(join(folder, `${damaged}.log`), bytes)
    await applyAll(database, folder, log)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      level: 'warn',
      segment: damaged,
      records: 2,
      msg: 'damaged click records were skipped',
    })
  })

  it('may contain any bytes', async () => {
    const { database, folder, planted } = await setUp(1)
    const [link] = planted
    if (!link) throw new Error('no link')
    for (const bytes of fc.sample(fc.uint8Array({ maxLength: 5_000 }), { numRuns: 20, seed: 1 })) {
      await writeFile(join(folder, `${randomUUID()}.log`), bytes)
    }
    await writeFile(join(folder, 'notes.txt'), 'not ours')
    await writeFile(join(folder, `${randomUUID()}.log`), '')
    await writeFile(
      join(folder, `${randomUUID()}.log`),
      Buffer.concat([Buffer.from('HPL1HPL1'), segmentOf(link, 3).bytes]),
    )
    await applyAll(database, folder)
    expect(await countOf(database.sql, link.id)).toBe(3)
    expect(await readdir(folder)).toContain('notes.txt')
  })
})

describe('applying', () => {
  it('counts once although the process died after each commit, five times', async () => {
    const { database, folder, planted } = await setUp(1)
    const [link] = planted
    if (!link) throw new Error('no link')
    await writeFile(join(folder, `${randomUUID()}.log`), segmentOf(link, 500).bytes)
    // Only the mark in the database tells each start about the ones before.
    for (let start = 0; start < 5; start++) await applyAll(database, folder)
    expect(await countOf(database.sql, link.id)).toBe(500)
    expect(await database.sql('select from app.click_events')).toHaveLength(500)

    // The control: without the mark, the same start counts everything again.
    await database.sql('delete from app.click_segments')
    await applyAll(database, folder)
    expect(await countOf(database.sql, link.id)).toBe(1_000)
  })

  it('counts once although two appliers race for the same file', async () => {
    const { database, folder, planted } = await setUp(1)
    const [link] = planted
    if (!link) throw new Error('no link')
    for (let i = 0; i < 10; i++)
      await writeFile(join(folder, `${randomUUID()}.log`), segmentOf(link, 400).bytes)
    await Promise.all([1, 2, 3, 4].map(() => applyAll(database, folder)))
    expect(await countOf(database.sql, link.id)).toBe(4_000)
  })

  it('goes on after a record that the database refuses', async () => {
    const { database, folder, planted } = await setUp(2)
    const [link, refused] = planted
    if (!link || !refused) throw new Error('no link')
    const [row] = await database.sql<{ scope: number }>(
      'select scope from app.click_scopes_of(array[$1::uuid])',
      [refused.id],
    )
    await database.sql(
      `alter table app.click_events add constraint no_such_scope check (scope <> ${row?.scope})`,
    )
    const parts = [link, refused, link].map((each) => segmentOf(each, 1).bytes)
    await writeFile(join(folder, `${randomUUID()}.log`), Buffer.concat(parts))
    expect(await applyAll(database, folder)).toMatchObject({ applied: 2, corrupt: 1 })
    expect(await countOf(database.sql, link.id)).toBe(2)
    expect(await countOf(database.sql, refused.id)).toBe(0)
  })

  it('counts the missing clicks again after the database was restored from a backup', async () => {
    const { database, folder, planted } = await setUp(1)
    const [link] = planted
    if (!link) throw new Error('no link')
    await writeFile(join(folder, `${randomUUID()}.log`), segmentOf(link, 100).bytes)
    await applyAll(database, folder)
    await database.sql('update app.shortened_urls set click_count = 0')
    await database.sql('delete from app.click_events')
    await database.sql('delete from app.click_segments')
    await applyAll(database, folder)
    expect(await countOf(database.sql, link.id)).toBe(100)
  })
})

describe('the removal of old files', () => {
  it('keeps the mark of a file of the click stream, for 400 days', async () => {
    const { database, folder, planted } = await setUp(1)
    const [link] = planted
    if (!link) throw new Error('no link')
    const [own, ofStream] = [randomUUID(), randomUUID()]
    const longAgo = new Date(Date.now() - 49 * 3_600_000)
    for (const name of [`${own}.log`, `${ofStream}@0.log`]) {
      await writeFile(join(folder, name), segmentOf(link, 5).bytes)
      await utimes(join(folder, name), longAgo, longAgo)
    }
    const log = createLog('silent')
    const opened = openDatabase(database.url, log)
    const journal = openJournal(folder, { fsync: false })
    const applier = startApplier({ journal, database: opened, hits: hitStoreOf(opened), log })
    await applier.close(120_000)
    expect(await countOf(database.sql, link.id)).toBe(10)
    await removeOldFiles(journal, createRunAsVisits(opened))
    expect((await readdir(folder)).filter((name) => name.endsWith('.log'))).toEqual([])
    const marks = await database.sql('select segment_id from app.click_segments')
    expect(marks).toEqual([{ segment_id: ofStream }])
    await database.sql(`update app.click_segments set updated_at = now() - interval '401 days'`)
    await removeOldFiles(journal, createRunAsVisits(opened))
    await opened.close()
    expect(await database.sql('select from app.click_segments')).toEqual([])
  })
})

describe('a journal file', () => {
  it('that a killed process made of the reserve ends with its last record', async () => {
    const { database, folder, planted } = await setUp(1)
    const [link] = planted
    if (!link) throw new Error('no link')
    const config = {
      dataDir: join(folder, '..'),
      clicks: { mode: 'journal', fsync: false, reserveBytes: 2 * pieceBytes },
    } as const
    const reserve = openJournalReserve(config)
    const job = keepReserve(reserve, createLog('silent'))
    await job.run()
    await job.close()
    expect(reserve.status()).toEqual({ ready: 2 * pieceBytes, missing: 0 })
    const { bytes } = segmentOf(link, 30)
    const piece = join(folder, `${randomUUID()}.log`)
    // The first file is for what memory holds at a stop.
    const file = reserve.take(piece) ?? -1
    writeSync(file, bytes, 0, bytes.length, 0)
    closeSync(file)
    expect(reserve.take(join(folder, 'more'))).toBeUndefined()
    expect((await stat(piece)).size).toBe(pieceBytes)
    expect(reserve.status().missing).toBe(pieceBytes)

    // All that is zero in a record without texts of an unknown visitor.
    const bare = Buffer.alloc(maxRecordSize)
    const nothing = { ...plainVisitor, identity: { place: Buffer.alloc(0), hash: Buffer.alloc(8) } }
    const end = encodeClick(bare, 0, Date.now(), 'link', link.id, {
      ...nothing,
      browser: { ...nothing.browser, userAgent: Buffer.alloc(0) },
    })
    await writeFile(
      join(folder, `${randomUUID()}.log`),
      Buffer.concat([bare.subarray(0, end), Buffer.alloc(100_000)]),
    )

    expect(openJournal(folder, { fsync: false }).bytes()).toBe(bytes.length + end)
    expect(await applyAll(database, folder)).toMatchObject({ applied: 31, corrupt: 0 })
  })

  it('is unchanged after a failed write', async () => {
    const { folder } = await setUp(0)
    const journal = openJournal(folder, { fsync: true, maxBytes: 1_000 })
    journal.append(Buffer.alloc(600, 1))
    expect(() => journal.append(Buffer.alloc(600, 2))).toThrow('full')
    journal.append(Buffer.alloc(400, 3))
    expect(journal.segments().map(({ size }) => size)).toEqual([1_000])
    journal.close()
    expect(openJournal(folder, { fsync: false }).bytes()).toBe(1_000)
  })
})
