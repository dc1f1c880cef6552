/** @module-tag extended */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { adoptJournal } from '#server/commands/adopt-journal.ts'
import { createRunAsVisits } from '#server/visits/counting/segment-applier.ts'
import type { SegmentStart } from '#server/visits/journal/journal-files.ts'
import { openJournal } from '#server/visits/journal/journal.ts'
import { createReplayer } from '#server/visits/stream/replayer.ts'
import { openStreamConnection } from '#server/visits/stream/stream-connection.ts'
import type { ClickStreamSettings } from '#server/visits/stream/stream-address.ts'
import type { SourceBytes } from '#server/visits/stream/stream-message.ts'
import { createStreamWriter } from '#server/visits/stream/stream-writer.ts'
import { hasNatsServer, type NatsCluster, startNatsCluster } from './nats-cluster.ts'
import { clickRecords, newerRecord } from '#test/visits/hits.ts'
import { setUpLog, streamSettings } from './open-log.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

let cluster: NatsCluster
let streams = 0
beforeAll(async () => {
  if (hasNatsServer) cluster = await startNatsCluster({ servers: 1 })
})
afterAll(() => (hasNatsServer ? cluster.stop() : undefined))

const newStream = (): ClickStreamSettings => streamSettings(cluster.url, `STREAM_${streams++}`)
const poll = { timeout: 20_000 }
const filesIn = async (dataDir: string) => {
  const folder = join(dataDir, 'journal')
  const files = existsSync(folder) ? await readdir(folder, { recursive: true }) : []
  return files.filter((file) => file.endsWith('.log')).map((file) => basename(file))
}

describe.each([
  { name: 'journal', settings: () => undefined },
  ...(hasNatsServer ? [{ name: 'stream', settings: newStream }] : []),
])('a click log: $name', ({ settings }) => {
  it('counts each visit once, and the rest when it is closed', async () => {
    const { open, counted } = await setUpLog(cleanups, settings())
    const sink = open()
    for (let i = 0; i < 20; i++) await sink.visit(5)
    await expect.poll(counted, poll).toBe(100)
    const visits = Array.from({ length: 50 }, () => sink.visit(1))
    await Promise.all(visits)
    await sink.close()
    expect(await counted()).toBe(150)
    expect(sink.status()).toMatchObject({ applied: 150, corrupt: 0, lost: 0, degraded: false })
  })

  it('keeps answered clicks while the database is away, and reports that they wait', async () => {
    const { open, counted, sql, link } = await setUpLog(cleanups, settings())
    const sink = open()
    await sink.visit(1)
    await expect.poll(counted, poll).toBe(1)
    await sql('alter table app.shortened_urls rename to away')
    await sink.visit(30)
    await expect.poll(async () => (await sink.waiting())?.size, poll).toBe(1)
    const target = link.id.replaceAll('-', '')
    expect((await sink.waiting())?.get(target)).toMatchObject({ count: 30 })
    await expect.poll(() => sink.lag()?.waitingBytes, poll).toBeGreaterThan(0)
    await sql('alter table app.away rename to shortened_urls')
    await expect.poll(counted, poll).toBe(31)
    await expect.poll(() => sink.lag()?.oldestWaitingSeconds, poll).toBe(null)
    expect((await sink.waiting())?.size).toBe(0)
  })

  it('counts damaged records and goes on', async () => {
    const { open, counted, link } = await setUpLog(cleanups, settings())
    const sink = open()
    const records = clickRecords(link.id, 3)
    records[Math.floor(records.length / 2)] = 255
    await new Promise<void>((resolve) => sink.write(records, resolve))
    await sink.visit(2)
    await expect.poll(counted, poll).toBe(4)
    await sink.close()
    expect(sink.status()).toMatchObject({ corrupt: 1 })
  })

  it('stops at a record of a later version, says so once, and lets another server read on', async () => {
    const { open, counted, sql, link, messages } = await setUpLog(cleanups, settings())
    const sink = open()
    const parts = [clickRecords(link.id, 2), newerRecord(3_000), clickRecords(link.id, 1)]
    await new Promise<void>((resolve) => sink.write(Buffer.concat(parts), resolve))
    await sink.visit(4)
    await expect.poll(counted, poll).toBe(2)
    await expect
      .poll(() => messages().filter((line) => line.startsWith('clicks wait: a newer')), poll)
      .toHaveLength(1)
    const leases = `select 1 from app.leases where name like 'stream:%' and ends_at > now()`
    await expect.poll(() => sql(leases), poll).toEqual([])
    await sink.close()
    expect(await counted()).toBe(2)
    expect(sink.status()).toMatchObject({ applied: 2, corrupt: 0, lost: 0 })
  })

  it('skips a click that the database refuses, and no other one', async () => {
    const { open, counted, sql } = await setUpLog(cleanups, settings())
    const sink = open()
    await sql('alter table app.shortened_urls add constraint few check (click_count < 4)')
    await sink.visit(5)
    await sql('create table seen as select 1')
    await expect.poll(() => sink.status().corrupt, poll).toBe(2)
    await sql('alter table app.shortened_urls drop constraint few')
    await sink.visit(2)
    await expect.poll(counted, poll).toBe(5)
  })
})

describe.skipIf(!hasNatsServer)('the click stream', () => {
  /** A writer that loses acknowledgements of stored messages. */
  async function setUpWriter() {
    const settings = newStream()
    const log = await setUpLog(cleanups, settings)
    const connection = openStreamConnection(settings, log.log)
    cleanups.push(() => connection.close())
    await connection.usableWithin(5_000)
    const journal = openJournal(join(log.dataDir, 'journal'), { fsync: false, isOfStream: true })
    const state = { losesAcks: false, refuses: false }
    const publish = async (content: SourceBytes) => {
      if (state.refuses) throw new Error('no answer')
      await connection.publish(content)
      if (state.losesAcks) throw new Error('the answer was lost')
    }
    const failing = { append: () => false, keep: () => false, isDegraded: () => true }
    const append = (bytes: Buffer, at: SegmentStart | undefined) => (
      journal.append(bytes, at),
      true
    )
    const makeWriter = (canWrite = true) =>
      createStreamWriter({
        publish,
        journal: canWrite ? { isDegraded: () => false, append, keep: append } : failing,
        toDatabase: (_, release) => release(),
        log: log.log,
      })
    const asVisits = createRunAsVisits(log.database)
    const replayer = createReplayer({ journal, publish, asVisits, log: log.log })
    const write = (writer: ReturnType<typeof makeWriter>, count: number) =>
      new Promise<void>((resolve) => writer.write(clickRecords(log.link.id, count), resolve))
    return { ...log, settings, connection, journal, state, makeWriter, replayer, write }
  }

  it('counts a message once that was stored but not acknowledged', async () => {
    const { state, makeWriter, write, journal, replayer, open, counted } = await setUpWriter()
    const writer = makeWriter()
    await write(writer, 3)
    state.losesAcks = true
    await write(writer, 10)
    expect(writer.isTakenOver()).toBe(true)
    // The file goes on after the message, so the replay is longer than that.
    await write(writer, 5)
    state.losesAcks = false
    journal.finish()
    await replayer.replay()
    expect(journal.segments()).toEqual([])
    const sink = open()
    await expect.poll(counted, poll).toBe(18)
    await sink.close()
    expect(await counted()).toBe(18)
  })

  it('would count it twice under another name (control)', async () => {
    const { connection, link, open, counted } = await setUpWriter()
    const bytes = clickRecords(link.id, 10)
    const ids = ['a', 'b'].map((last) => `01940000-0000-7000-8000-00000000000${last}`)
    for (const source of ids) await connection.publish({ source, from: 0, bytes })
    open()
    await expect.poll(counted, poll).toBe(20)
  })

  it('keeps a message in memory that neither answers, and counts it once', async () => {
    const { state, makeWriter, write, open, counted } = await setUpWriter()
    const writer = makeWriter(false)
    state.losesAcks = true
    await write(writer, 10)
    state.losesAcks = false
    await writer.publishHeld()
    writer.resume()
    await write(writer, 1)
    expect(writer.status()).toMatchObject({ lost: 0, takeovers: 1 })
    open()
    await expect.poll(counted, poll).toBe(11)
  })

  it('lets the journal take over while no server runs, and gets the clicks afterwards', async () => {
    const { open, counted, dataDir } = await setUpLog(cleanups, newStream())
    const sink = open()
    await sink.visit(5)
    await expect.poll(counted, poll).toBe(5)
    await cluster.kill(0)
    for (let i = 0; i < 10; i++) await sink.visit(2)
    expect(sink.stream()).toMatchObject({ isTakenOver: true, takeovers: 1 })
    expect(await filesIn(dataDir)).toEqual([expect.stringMatching(/^[0-9a-f-]{36}@\d+\.log$/)])
    expect(sink.status().degraded).toBe(false)
    await cluster.start(0)
    await expect.poll(counted, poll).toBe(25)
    await expect.poll(() => filesIn(dataDir), poll).toEqual([])
    await expect.poll(() => sink.stream()?.isTakenOver, poll).toBe(false)
    await sink.visit(1)
    expect(sink.stream()?.published).toBeGreaterThan(1)
    await expect.poll(counted, poll).toBe(26)
  })

  it('is read by one process, and by another one when that is gone', async () => {
    const { open, counted, newFolder, messages } = await setUpLog(cleanups, newStream())
    const first = open()
    const second = open(await newFolder())
    for (let i = 0; i < 20; i++) await Promise.all([first.visit(1), second.visit(1)])
    await expect.poll(counted, poll).toBe(40)
    await expect
      .poll(() => [first, second].filter((each) => each.status().applied > 0), poll)
      .toHaveLength(1)
    const [reader, other] = first.status().applied > 0 ? [first, second] : [second, first]
    await reader.close()
    await other.visit(3)
    await expect.poll(counted, poll).toBe(43)
    await expect.poll(() => other.status().applied, poll).toBe(3)
    expect(messages()).not.toContain('applying clicks failed')
  })

  it('gives a restored database its later clicks again', async () => {
    const { open, counted, sql } = await setUpLog(cleanups, newStream())
    const sink = open()
    await sink.visit(4)
    await expect.poll(counted, poll).toBe(4)
    await sink.close()
    await sql('create schema backup')
    for (const table of ['shortened_urls', 'click_streams', 'click_segments'])
      await sql(`create table backup.${table} as select * from app.${table}`)
    const later = open()
    await later.visit(6)
    await expect.poll(counted, poll).toBe(10)
    await later.close()
    await sql(`begin; set local session_replication_role = replica;
      update app.shortened_urls t set click_count = b.click_count from backup.shortened_urls b where b.id = t.id;
      delete from app.click_streams; insert into app.click_streams select * from backup.click_streams;
      delete from app.click_segments; insert into app.click_segments select * from backup.click_segments; commit`)
    expect(await counted()).toBe(4)
    open()
    await expect.poll(counted, poll).toBe(10)
  })

  it('is created again when it was deleted, and counts nothing twice', async () => {
    const settings = newStream()
    const { open, counted, messages } = await setUpLog(cleanups, settings)
    const sink = open()
    for (let i = 0; i < 5; i++) await sink.visit(1)
    await expect.poll(counted, poll).toBe(5)
    await cluster.manage((manager) => manager.streams.delete(settings.stream))
    await sink.visit(2)
    expect(sink.stream()).toMatchObject({ isTakenOver: true })
    await expect.poll(counted, { timeout: 30_000 }).toBe(7)
    expect(messages().join()).toContain('this is not the click stream that was read')
    await sink.close()
    expect(await counted()).toBe(7)
  })

  it('says how many bytes are missing', async () => {
    const { connection, link, open, counted, messages } = await setUpWriter()
    const bytes = clickRecords(link.id, 2)
    const source = '01940000-0000-7000-8000-00000000000c'
    await connection.publish({ source, from: 0, bytes })
    await connection.publish({ source, from: bytes.length + 77, bytes })
    const sink = open()
    await expect.poll(counted, poll).toBe(4)
    await expect.poll(() => sink.stream()?.missingBytes, poll).toBe(77)
    expect(messages().join()).toContain('clicks are missing in the click stream')
  })

  it('gets the journal of a dead server by npm run adopt, with any CLICK_LOG', async () => {
    const { dataDir, journal, link, url, settings, log, open, counted, newFolder } =
      await setUpWriter()
    const at = { id: '01940000-0000-7000-8000-00000000000d', base: 0 }
    journal.append(clickRecords(link.id, 4), at)
    const plain = openJournal(join(dataDir, 'journal', 'worker'), { fsync: false })
    plain.append(clickRecords(link.id, 3))
    const config = {
      databaseUrl: url,
      dataDir,
      clicks: { mode: 'journal', fsync: false, reserveBytes: 0, stream: settings },
    } as const
    expect(await adoptJournal([dataDir], config, log)).toMatch(/^7 clicks are in the click stream/)
    open(await newFolder())
    await expect.poll(counted, poll).toBe(7)
    expect(await adoptJournal([dataDir], config, log)).toMatch(/^0 clicks/)
  })

  it('keeps a file from the journal while the stream has clicks before it', async () => {
    const { dataDir, journal, link, url, sql, log, counted } = await setUpWriter()
    const id = '01940000-0000-7000-8000-00000000000e'
    journal.append(clickRecords(link.id, 4), { id, base: 500 })
    const config = { databaseUrl: url, dataDir }
    await expect(adoptJournal([dataDir], config, log)).rejects.toThrow(/earlier ones in the click/)
    expect(await counted()).toBe(0)
    await sql('insert into app.click_segments (segment_id, applied_bytes) values ($1, 500)', [id])
    expect(await adoptJournal([dataDir], config, log)).toMatch(/^4 clicks were counted/)
    expect(await counted()).toBe(4)
  })
})
