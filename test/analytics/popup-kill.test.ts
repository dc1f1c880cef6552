/** @module-tag extended */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, expect, it } from 'vitest'
import { popupActions } from '#domain/popups/popup-actions.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { plantPopupLink } from '#test/pages/plant.ts'
import { forgetfulEntry, startBuilt } from '#test/visits/built.ts'
import { beacon, storedEvents } from './popup-links.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

/** Keeps events from being stored until the returned function is called. */
async function holdEvents({ superuserUrl }: TestDatabase): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  cleanups.push(() => client.end())
  await client.query('begin; lock table app.popup_events in share mode')
  return async () => void (await client.query('rollback'))
}

const perAction = 20

interface Totals {
  /** Acknowledged events of each action. */
  acknowledged: number
  stored: Record<string, number>
}

/** Kills a server once for each of these: while all beacons that it acknowledged wait, or while it stores them. */
async function killWhile(
  phases: readonly ('waiting' | 'storing')[],
  database: TestDatabase,
  entry?: string,
): Promise<Totals> {
  const { url: databaseUrl, sql } = database
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-popup-kill-'))
  cleanups.push(() => rm(dataDir, { recursive: true, force: true }))
  const { code } = await plantPopupLink(sql)
  const start = () => startBuilt({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir }, entry)
  for (const phase of phases) {
    const server = await start()
    cleanups.push(() => server.end('SIGKILL'))
    const release = phase === 'waiting' ? await holdEvents(database) : undefined
    const before = await storedEvents({ sql })
    const answers = await Promise.all(
      popupActions.flatMap((action) =>
        Array.from({ length: perAction }, (_, person) =>
          beacon(server, `/${code}/popup/${action}`, {
            'user-agent': `Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/${person}.0`,
          }),
        ),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]))
    if (phase === 'waiting') expect(await storedEvents({ sql })).toBe(before)
    await server.end('SIGKILL')
    await release?.()
  }
  await (await start()).end('SIGTERM')
  const rows = await sql<{ action: string; n: number }>(
    'select app.popup_action(action) as action, count(*)::int as n from app.popup_events group by 1',
  )
  return {
    acknowledged: phases.length * perAction,
    stored: Object.fromEntries(rows.map(({ action, n }) => [action, n])),
  }
}

it('every beacon that was acknowledged before a kill -9 is stored once after the restart', async () => {
  const database = await createTestDatabase()
  cleanups.push(() => database.drop())
  const { acknowledged, stored } = await killWhile(['waiting', 'waiting', 'storing'], database)
  expect(stored).toEqual(Object.fromEntries(popupActions.map((action) => [action, acknowledged])))
})

it('beacons that are kept in memory only are lost (control)', async () => {
  const database = await createTestDatabase()
  cleanups.push(() => database.drop())
  const { acknowledged, stored } = await killWhile(['waiting'], database, forgetfulEntry)
  expect(stored['shown'] ?? 0).toBeLessThan(acknowledged)
})
