import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { adoptJournal } from '#server/commands/adopt-journal.ts'
import { openDataDir } from '#server/data-dir.ts'
import { createLog } from '#server/log.ts'
import { createTestDatabase } from '#test/database.ts'
import { clickRecords } from '../hits.ts'
import { countOf, plantLinks } from '../plant.ts'

const log = createLog('silent')
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

/** The data directory of a server that died with 300 clicks in its journal. */
async function leaveJournal() {
  const database = await createTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'hoplet-dead-'))
  cleanups.push(
    () => database.drop(),
    () => rm(folder, { recursive: true, force: true }),
  )
  const [link] = await plantLinks(database.sql, [{ code: 'left', url: 'https://example.com/' }])
  if (!link) throw new Error('nothing planted')
  await mkdir(join(folder, 'journal'))
  const segment = '01940000-0000-7000-8000-000000000001.log'
  await writeFile(join(folder, 'journal', segment), clickRecords(link.id, 300))
  const config = { databaseUrl: database.url, dataDir: folder }
  return { folder, config, count: () => countOf(database.sql, link.id) }
}

it('the server counts the clicks of a dead server once, also when it is called again', async () => {
  const { folder, config, count } = await leaveJournal()
  expect(await adoptJournal([folder], config, log)).toMatch(/^300 clicks were counted/)
  expect(await count()).toBe(300)
  expect(await adoptJournal([folder], config, log)).toMatch(/^0 clicks were counted/)
  expect(await count()).toBe(300)
})

it('the server refuses the data directory of a running server', async () => {
  const { folder, config, count } = await leaveJournal()
  const running = await openDataDir(folder, log)
  await expect(adoptJournal([folder], config, log)).rejects.toThrow(
    `A server (process ${process.pid}) is running on ${folder} and counts its own clicks.`,
  )
  expect(await count()).toBe(0)
  await running.release()
  await adoptJournal([folder], config, log)
  expect(await count()).toBe(300)
})

it.each([[[]], [['a', 'b']], [['/nowhere']]])(
  'the server prints its usage for wrong arguments: %j',
  async (args) => {
    const config = { databaseUrl: 'postgres://nobody@127.0.0.1:1/none', dataDir: '/nowhere' }
    await expect(adoptJournal(args, config, log)).rejects.toThrow(/npm run adopt -- FOLDER/)
  },
)
