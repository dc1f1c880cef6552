/** @module-tag extended */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '#test/database.ts'
import { broken } from '#test/visits/history.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { hasNatsServer, type NatsCluster, startNatsCluster } from './nats-cluster.ts'
import { streamKillRounds } from './stream-kills.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

async function setUp() {
  const database = await createTestDatabase()
  cleanups.push(() => database.drop())
  const codes = Array.from({ length: 20 }, (_, i) => ({
    code: `stream-${i}`,
    url: `https://example.com/${i}`,
  }))
  return {
    databaseUrl: database.url,
    sql: database.sql,
    links: await plantLinks(database.sql, codes),
  }
}

const sum = (history: readonly { received: number }[]) =>
  history.reduce((total, { received }) => total + received, 0)

describe.skipIf(!hasNatsServer)('kill -9 with the click log in three NATS servers', () => {
  let cluster: NatsCluster
  beforeAll(async () => {
    cluster = await startNatsCluster()
  })
  afterAll(() => cluster.stop())

  it('loses no visit that got its response and counts none twice, whoever dies', async () => {
    const history = await streamKillRounds({
      ...(await setUp()),
      cluster,
      kills: ['leader', 'node', 'machine', 'leader', 'machine'],
      nodes: 1,
      perSecond: 200,
    })
    expect(broken(history)).toEqual([])
    expect(sum(history)).toBeGreaterThan(500)
  })

  it('loses none with workers, each of which publishes by itself', async () => {
    const history = await streamKillRounds({
      ...(await setUp()),
      cluster,
      kills: ['node', 'leader'],
      nodes: 1,
      perSecond: 200,
      environment: { WORKERS: '2' },
    })
    expect(broken(history)).toEqual([])
    expect(sum(history)).toBeGreaterThan(200)
  })

  it('fails the same check when a machine is lost with its journal (control)', async () => {
    const history = await streamKillRounds({
      ...(await setUp()),
      cluster,
      kills: ['machine', 'machine'],
      nodes: 1,
      perSecond: 200,
      environment: { CLICK_LOG: 'journal' },
    })
    expect(broken(history).length).toBeGreaterThan(0)
  })
})
