import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Database, DatabaseUnavailableError } from '#server/postgres/database.ts'
import { startCounting } from '#server/visits/counting/counting.ts'
import type { FromCounting } from '#server/visits/counting/messages.ts'
import { timeOrderedUuid } from '#server/visits/journal/journal-files.ts'
import { recordLog } from '#test/record-log.ts'
import { clickRecords } from '../hits.ts'

const click = () => clickRecords('00000000-0000-4000-8000-000000000000', 1)

/** A counting without a database, over the journal of an earlier process. */
async function openCounting() {
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-lost-disk-'))
  const journal = join(dataDir, 'journal')
  await mkdir(journal)
  await writeFile(join(journal, `${timeOrderedUuid()}.log`), click())
  const fail = () => Promise.reject(new DatabaseUnavailableError('down'))
  const { log, messages } = recordLog()
  const counting = startCounting({
    config: {
      clicks: { mode: 'journal', fsync: false, reserveBytes: 0, stream: undefined },
      dataDir,
      sharedDataDir: undefined,
      workers: 1,
    },
    database: { transactionAs: fail } as unknown as Database,
    log,
    keyId: 'key',
  })
  const removeFiles = () => rm(dataDir, { recursive: true, force: true })
  return { counting, journal, messages, removeFiles }
}

it.each(['there', 'gone'])(
  'visitors get their answer while the database is down and the files of waiting clicks are %s',
  async (files) => {
    const { counting, journal, removeFiles } = await openCounting()
    const answers: FromCounting[] = []
    const receive = counting.connect('process', (message) => answers.push(message))
    if (files === 'gone') await rm(journal, { recursive: true })
    receive({ kind: 'count', batch: 1, records: click() })
    receive({ kind: 'waiting', question: 2 })
    await expect
      .poll(() => answers.filter(({ kind }) => kind !== 'status'))
      .toEqual(
        expect.arrayContaining([
          { kind: 'counted', batch: 1 },
          expect.objectContaining({ kind: 'waiting', question: 2 }),
        ]),
      )
    await counting.close()
    await removeFiles()
  },
)

it('a counting ends although the journals of its processes cannot be taken over', async () => {
  const { counting, journal, messages, removeFiles } = await openCounting()
  for (const name of ['ended', 'running']) {
    counting.connect(name, () => {})
    // Fails to be removed for everyone, as any file does on a disk that turned read-only.
    await mkdir(join(journal, name, 'only-in-memory'), { recursive: true })
  }
  const failure = 'the journal of a process could not be taken over'
  counting.disconnect('ended')
  expect(messages().filter((message) => message === failure)).toHaveLength(1)
  await counting.close()
  expect(messages().filter((message) => message === failure)).toHaveLength(2)
  await removeFiles()
})
