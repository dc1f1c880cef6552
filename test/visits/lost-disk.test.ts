import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createLog } from '#server/log.ts'
import { type Database, DatabaseUnavailableError } from '#server/postgres/database.ts'
import { startCounting } from '#server/visits/counting/counting.ts'
import type { FromCounting } from '#server/visits/counting/messages.ts'
import { timeOrderedUuid } from '#server/visits/journal-files.ts'
import { clickRecords } from './hits.ts'

const click = () => clickRecords('00000000-0000-4000-8000-000000000000', 1)

it.each(['there', 'gone'])(
  'visitors get their answer while the database is down and the files of waiting clicks are %s',
  async (files) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-lost-disk-'))
    const journal = join(dataDir, 'journal')
    await mkdir(journal)
    await writeFile(join(journal, `${timeOrderedUuid()}.log`), click())
    const fail = () => Promise.reject(new DatabaseUnavailableError('down'))
    const counting = startCounting({
      config: {
        clicks: { mode: 'journal', fsync: false, reserveBytes: 0, stream: undefined },
        dataDir,
        sharedDataDir: undefined,
        workers: 1,
      },
      database: { transactionAs: fail } as unknown as Database,
      log: createLog('silent'),
      keyId: 'key',
    })
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
    await rm(dataDir, { recursive: true, force: true })
  },
)
