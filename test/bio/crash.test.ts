/** @module-tag extended */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { createTestDatabase } from '#test/database.ts'
import { makeUser } from '#test/factories.ts'
import { freePort } from '#test/free-port.ts'
import { startBuilt } from '#test/visits/built.ts'
import { generation, generationIn, startReaders, ways } from './generations.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

interface Round {
  /** The page after the crash: its generation, or its fault. */
  shows: number | string
  /** The last save that was answered, and the last that was sent. */
  acknowledged: number
  sent: number
  /** Answers to readers that were no whole page. */
  broken: Record<string, number>
}

/** The call of a save that is under way when the server is killed, at the earliest. */
const middle = { atomic: 1, separate: 3 }

/** Saves generation after generation, kills the server somewhere in between, and looks at the page after a new start. */
async function killRounds(
  way: keyof typeof ways,
  rounds: number,
  until: (round: Round) => boolean,
) {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-bio-crash-'))
  cleanups.push(
    () => database.drop(),
    () => rm(dataDir, { recursive: true, force: true }),
  )
  // The address is part of each session: at another one, Ann would be a stranger after the first crash.
  const environment = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
  }
  let server = await startBuilt(environment)
  cleanups.push(() => server.end('SIGTERM'))
  const keys = JSON.parse(await readFile(join(dataDir, 'keys.json'), 'utf8')) as { anonKey: string }
  const ann = await makeUser({ url: server.url, anonKey: keys.anonKey, sql: database.sql })
  let calls = 0
  const call = async (method: string, path: string, body?: unknown) => {
    calls++
    const response = await fetch(`${server.url}/rest/v1/${path}`, {
      method,
      headers: { ...ann.headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    await response.arrayBuffer()
    return { status: response.status }
  }
  const first = { ...generation(0), page: { slug: 'crash', ...generation(0).page } }
  expect((await call('POST', 'rpc/save_bio_page', first)).status).toBe(200)
  const [page] = await database.sql<{ id: string }>('select id from app.bio_pages')
  const known = { slug: 'crash', pageId: page?.id ?? '', anonKey: keys.anonKey }

  const history: Round[] = []
  let acknowledged = 0
  let sent = 0
  for (let round = 0; round < rounds; round++) {
    const former = acknowledged
    const readers = startReaders(20, server.url, known)
    const saving = (async () => {
      for (;;) {
        calls = 0
        if (await ways[way](call, known.pageId, ++sent)) acknowledged = sent
      }
    })().catch(() => undefined)
    // On a busy machine the first save takes its time; there must be something to lose.
    while (acknowledged === former) await sleep(5)
    await sleep(Math.random() * 600)
    while (calls < middle[way]) await sleep(1)
    await server.end('SIGKILL')
    await saving
    await readers.stop()
    server = await startBuilt(environment)
    const text = await (await fetch(`${server.url}/crash`)).text()
    const shows = generationIn(text, 'page')
    history.push({ shows, acknowledged, sent, broken: Object.fromEntries(readers.broken) })
    const last = history.at(-1)
    if (last && until(last)) break
  }
  return history
}

it('kill -9 during saves leaves the page of the last answered save or of one without an answer, ten times', async () => {
  const history = await killRounds('atomic', 10, () => false)
  expect(history).toHaveLength(10)
  for (const { shows, acknowledged, sent, broken } of history) {
    expect(broken).toEqual({})
    // A busy server may answer 503 to a save that it stored, and to those after it.
    expect(shows).toBeGreaterThanOrEqual(acknowledged)
    expect(shows).toBeLessThanOrEqual(sent)
  }
})

it('a lost save is noticed by the same check when the save is five separate calls (control)', async () => {
  const history = await killRounds('separate', 15, ({ shows }) => typeof shows === 'string')
  expect(history.some(({ shows }) => typeof shows === 'string')).toBe(true)
})
