/** @module-tag extended */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { freePort } from '#test/free-port.ts'
import { plantPopupLink } from '#test/pages/plant.ts'
import { startBuilt } from '#test/visits/built.ts'
import { give } from './give.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

async function makeStarter(environment: Record<string, string> = {}) {
  const database = await createTestDatabase()
  cleanups.push(() => database.drop())
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-leads-'))
  cleanups.push(() => rm(dataDir, { recursive: true, force: true }))
  const port = String(await freePort())
  const start = async () => {
    const server = await startBuilt({
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      PORT: port,
      ...environment,
    })
    cleanups.push(() => server.end('SIGKILL'))
    return server
  }
  const { code, popupId: popup } = await plantPopupLink(database.sql, { collect_email: true })
  return { database, start, popup: { code, popup } }
}

/** How many of the acknowledged addresses are missing, and how many are there twice. */
async function compare({ sql }: TestDatabase, acknowledged: ReadonlySet<string>) {
  const rows = await sql<{ email: string; n: number }>(
    'select lower(email) as email, count(*)::int as n from app.leads group by 1',
  )
  const stored = new Map(rows.map(({ email, n }) => [email, n]))
  return {
    lost: [...acknowledged].filter((email) => !stored.has(email)).length,
    twice: rows.filter(({ n }) => n > 1).length,
    stored: stored.size,
  }
}

it('10,000 addresses under load, with five kills of the server: none lost, none twice', async () => {
  const { database, start, popup } = await makeStarter()
  const total = 10_000
  const waiting = Array.from({ length: total }, (_, i) => `visitor${i}@example.com`)
  const acknowledged = new Set<string>()
  let server = await start()
  let failures = 0

  const visitor = async () => {
    for (let email = waiting.pop(); email !== undefined; email = waiting.pop())
      while (!acknowledged.has(email)) {
        const answer = await give(server, popup, email).catch(() => undefined)
        await answer?.text().catch(() => '')
        if (answer?.status === 200) acknowledged.add(email)
        else {
          failures++
          await sleep(20)
        }
      }
  }
  const visitors = Promise.all(Array.from({ length: 24 }, visitor))
  for (const part of [1, 2, 3, 4, 5]) {
    while (acknowledged.size < (total * part) / 6) await sleep(5)
    await server.end('SIGKILL')
    server = await start()
  }
  await visitors
  expect(acknowledged.size).toBe(total)
  // The kills met requests under way.
  expect(failures).toBeGreaterThan(0)
  expect(await compare(database, acknowledged)).toEqual({ lost: 0, twice: 0, stored: total })
  const [audience] = await database.sql('select leads from app.audiences')
  expect(audience).toEqual({ leads: total })
  // The control: the comparison notices one.
  await database.sql(`delete from app.leads where email = 'visitor7@example.com'`)
  expect(await compare(database, acknowledged)).toMatchObject({ lost: 1, stored: total - 1 })
})

it('of 1,000 forged addresses of one visitor at most a few are kept', async () => {
  const { database, start, popup } = await makeStarter({ RATE_LIMITS: 'on' })
  const server = await start()
  const statuses: number[] = []
  for (let start = 0; start < 1_000; start += 50)
    statuses.push(
      ...(await Promise.all(
        Array.from({ length: 50 }, async (_, i) => {
          const answer = await give(server, popup, `forged${start + i}@example.com`)
          return answer.status
        }),
      )),
    )
  const taken = statuses.filter((status) => status === 200).length
  expect(statuses.filter((status) => status === 429)).toHaveLength(1_000 - taken)
  const { stored } = await compare(database, new Set())
  expect(stored).toBe(taken)
  // Ten at once, and ten a minute.
  expect([taken >= 10, taken < 30]).toEqual([true, true])
})
