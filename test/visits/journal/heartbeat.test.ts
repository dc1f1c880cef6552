import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Database, openDatabase } from '#server/postgres/database.ts'
import { listen } from '#server/postgres/listen.ts'
import { startHeartbeat } from '#server/visits/names/heartbeat.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { endSharedServer } from '#test/shared-server.ts'
import { recordLog } from '#test/record-log.ts'

const intervalMs = 5_000
const realNow = Date.now
let store: TestDatabase
beforeAll(endSharedServer)
beforeEach(async () => {
  store = await createTestDatabase()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  for (const clean of cleanups.splice(0).toReversed()) await clean()
  await store.drop()
})

/** A heartbeat on a real database. The test controls its interval and the clock. */
async function start(channel: string) {
  const { log, messages, lines } = recordLog()
  const real = openDatabase(store.url, log)
  let beats = 0
  const database: Database = {
    ...real,
    async transactionAs(actor, work) {
      const result = await real.transactionAs(actor, work)
      beats++
      return result
    },
  }
  const listener = listen(store.url, [channel], log)
  const clock = { skewMs: 0 }
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + clock.skewMs)
  const now = () => performance.now()
  const heartbeat = startHeartbeat({ database, listener, log, now })
  cleanups.push(
    () => real.close(),
    () => listener.close(),
    () => heartbeat.close(),
  )
  await vi.waitFor(() => expect(listener.connected()).toBe(true), { timeout: 240_000 })
  const beat = async (times: number) => {
    for (let i = 0; i < times; i++) {
      const before = beats
      vi.advanceTimersByTime(intervalMs)
      await vi.waitFor(() => expect(beats).toBeGreaterThan(before), { timeout: 240_000 })
      // A notification follows its commit at once; no event tells that none is coming.
      await sleep(200)
    }
  }
  return { heartbeat, beat, clock, lines, messages }
}

const poolerWarning = expect.stringContaining('pooler in transaction mode')
const clockWarning = "this machine's clock differs from the database's"

describe('notifications', () => {
  it('that do not arrive, as behind a pooler in transaction mode, cause one warning', async () => {
    // LISTEN works and the connection stays up, but it hears nothing of what is sent, as behind such a pooler.
    const { heartbeat, beat, messages } = await start('another_channel')
    await beat(2)
    expect(messages()).not.toContainEqual(poolerWarning)
    await beat(5)
    expect(messages().filter((text) => text.includes('pooler in transaction mode'))).toHaveLength(1)
    expect(heartbeat.receivesNotifications()).toBe(false)
    expect(heartbeat.isDatabaseAnswering()).toBe(true)
  })

  it('that arrive cause none (control)', async () => {
    const { heartbeat, beat, messages } = await start('hoplet_names')
    await beat(8)
    await vi.waitFor(() => expect(heartbeat.receivesNotifications()).toBe(true), {
      timeout: 240_000,
    })
    expect(messages()).toEqual([])
  })
})

describe('a clock that differs from the database’s', () => {
  it('by more than five seconds causes one warning, and another one after it was correct', async () => {
    const { beat, clock, lines, messages } = await start('hoplet_names')
    clock.skewMs = 4_000
    await beat(2)
    expect(messages()).toEqual([])
    clock.skewMs = -7_000
    await beat(3)
    expect(messages()).toEqual([clockWarning])
    expect(lines[0]?.['skew_ms']).toBeLessThan(-6_000)
    clock.skewMs = 0
    await beat(2)
    clock.skewMs = 7_000
    await beat(2)
    expect(messages()).toEqual([clockWarning, clockWarning])
  })
})
