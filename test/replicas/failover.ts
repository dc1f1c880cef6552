import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { startHoplet } from '#server/start.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { type CodeHistory, drive, historyOf, noCounts } from '#test/visits/history.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'
import { startMovingAddress, startPair } from './pair.ts'

export interface FailoverOptions {
  /** Whether a commit waits for the standby. */
  synchronous: boolean
  visitsPerSecond: number
  /** How long there is load before the primary dies and after the first write has succeeded on the new one. */
  loadMs: number
  /** No visit comes after the death of the primary. */
  endsQuietly?: boolean
}

export interface FailoverReport {
  history: CodeHistory[]
  /** Statuses of the visits. */
  statuses: Map<string, number>
  /** Links with a confirmed creation. */
  confirmed: number
  /** Those of them that the new primary does not have. */
  lostWrites: number
  failedWrites: number
  /** From the death of the primary to the next confirmed write. */
  writesResumedAfterMs: number
  /** Clicks that the primary had counted, and the standby had not, when it was promoted. */
  clicksBehind: number
  flushes: number
  /** Where a link leads that was changed on the new primary. */
  changed: string | undefined
}

/** Visits and creates links without a pause, kills the primary, promotes the standby, and moves the address to it. */
export async function failOver(options: FailoverOptions): Promise<FailoverReport> {
  const pair = await startPair(options)
  const { primary, replica } = pair
  const address = await startMovingAddress(primary.url)
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-failover-'))
  const config = createConfig(
    parseVariables({
      PORT: '0',
      DATA_DIR: dataDir,
      RATE_LIMITS: 'off',
      DATABASE_URL: address.url,
      DATABASE_READ_URL: replica.url,
    }),
  )
  const server = await startHoplet(config, createLog('silent'))
  try {
    const codes = Array.from({ length: 20 }, (_, i) => `moved-${i}`)
    const links = await plantLinks(
      primary.sql,
      codes.map((code) => ({ code, url: 'https://example.com/before' })),
    )
    for (const { code } of links) await visit(server.url, `/${code}`)
    const counts = noCounts(links)
    // Those that warmed the cache.
    for (const count of counts.values()) Object.assign(count, { sent: 1, received: 1 })
    const { anonKey } = server.context.tokens
    const person = await makeUser(
      { url: server.url, anonKey, sql: primary.sql, isPlain: true },
      { plan: 'business' },
    )
    const driver = drive(server.url, links, options.visitsPerSecond, counts)
    const writer = startWriter(server.url, person)
    const appliedClicks = () => server.context.visits.status().clicks.applied
    await sleep(options.loadMs)
    await writer.confirmed(3)
    const before = await clicksIn(primary.sql)
    if (!options.synchronous) {
      // Commits from now on are lost with the primary.
      await replica.sql('alter system reset primary_conninfo')
      await replica.sql('select pg_reload_conf()')
      const isCutOff = async () =>
        (await primary.sql('select from pg_stat_replication')).length === 0
      while (!(await isCutOff())) await sleep(20)
      const applied = appliedClicks()
      while (appliedClicks() < applied + 20) await sleep(20)
    }
    if (options.endsQuietly) {
      await driver.stop()
      while (server.context.visits.lag()?.waitingBytes !== 0) await sleep(20)
    }
    const atDeath = options.synchronous ? before : await clicksIn(primary.sql)
    await primary.kill()
    const diedAt = performance.now()
    const { flushes } = server.context.visits.measures().cache
    const clicksBehind = Math.max(0, atDeath - (await clicksIn(replica.sql)))
    await replica.sql('select pg_promote()')
    address.moveTo(replica)
    const resumedAt = await writer.confirmedAfter(diedAt)
    await sleep(options.loadMs)
    await driver.stop()
    const writes = await writer.stop()
    let history = await historyOf(replica.sql, links, counts)
    while (history.some(({ received, counted }) => counted < received) && !isOver(diedAt)) {
      await sleep(100)
      history = await historyOf(replica.sql, links, counts)
    }
    const kept = await replica.sql<{ short_code: string }>(
      'select id from app.shortened_urls where id = any ($1::uuid[])',
      [writes.confirmed],
    )
    const { listener, visits } = server.context
    while (!listener.connected() && !isOver(diedAt)) await sleep(20)
    await replica.sql(
      `update app.shortened_urls set original_url = 'https://example.com/after' where short_code = $1`,
      [codes[0]],
    )
    let changed: string | undefined
    while (changed !== 'https://example.com/after' && !isOver(diedAt)) {
      changed = (await visit(server.url, `/${codes[0]}`)).location
    }
    return {
      history,
      statuses: driver.statuses,
      confirmed: writes.confirmed.length,
      lostWrites: writes.confirmed.length - kept.length,
      failedWrites: writes.failed,
      writesResumedAfterMs: resumedAt - diedAt,
      clicksBehind,
      flushes: visits.measures().cache.flushes - flushes,
      changed,
    }
  } finally {
    await server.stop()
    await address.close()
    await pair.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** A report that is wrong is better than none. */
const isOver = (since: number) => performance.now() - since > 60_000

type Sql = Awaited<ReturnType<typeof startPair>>['primary']['sql']

async function clicksIn(sql: Sql): Promise<number> {
  const [row] = await sql<{ clicks: string }>(
    'select sum(click_count) as clicks from app.shortened_urls',
  )
  return Number(row?.clicks ?? 0)
}

/** Fewer writes than a plan allows. */
const pauseMs = 50

/** Creates one link after another as a person does. */
function startWriter(url: string, person: TestUser) {
  const confirmed: { id: string; at: number }[] = []
  let failed = 0
  let isStopped = false
  const write = async () => {
    const startedAt = performance.now()
    const response = await fetch(`${url}/rest/v1/shortened_urls`, {
      method: 'POST',
      headers: {
        ...person.headers,
        'content-type': 'application/json',
        prefer: 'return=representation',
      },
      body: JSON.stringify({ user_id: person.id, original_url: 'https://example.com/' }),
    }).catch(() => undefined)
    const body = await response?.json().catch(() => undefined)
    const [row] = response?.status === 201 ? (body as { id: string }[]) : []
    if (row) confirmed.push({ id: row.id, at: startedAt })
    else failed++
  }
  const running = (async () => {
    while (!isStopped) {
      await write()
      await sleep(pauseMs)
    }
  })()
  return {
    async confirmed(count: number) {
      while (confirmed.length < count) await sleep(20)
    },
    /** When the first write was confirmed that began after this time. */
    async confirmedAfter(time: number): Promise<number> {
      for (;;) {
        const found = confirmed.find(({ at }) => at > time)
        if (found || isOver(time)) return performance.now()
        await sleep(10)
      }
    },
    async stop() {
      isStopped = true
      await running
      return { confirmed: confirmed.map(({ id }) => id), failed }
    },
  }
}
