import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from '#server/log.ts'
import { openDatabase } from '#server/postgres/database.ts'
import { openClickSink } from '#server/visits/counting/click-sink.ts'
import { connectHere } from '#server/visits/counting/counting-here.ts'
import { startCounting } from '#server/visits/counting/counting.ts'
import type { ClickStreamSettings } from '#server/visits/stream/stream-address.ts'
import { parseStreamAddress } from '#server/visits/stream/stream-address.ts'
import { createTestDatabase } from '#test/database.ts'
import { recordLog } from '#test/record-log.ts'
import { clickRecords } from '#test/visits/hits.ts'
import { countOf, plantLinks } from '#test/visits/plant.ts'

/** The settings for a stream of one replica, as the environment gives them. */
export function streamSettings(url: string, stream: string, replicas = 1): ClickStreamSettings {
  const address = parseStreamAddress(url)
  if (typeof address === 'string') throw new Error(address)
  return { ...address, stream, replicas }
}

/** A database with one link, and click logs that count into it. */
export async function setUpLog(
  cleanups: (() => Promise<unknown>)[],
  stream: ClickStreamSettings | undefined,
) {
  const store = await createTestDatabase()
  cleanups.push(() => store.drop())
  const [link] = await plantLinks(store.sql, [{ code: 'logged', url: 'https://example.com/' }])
  if (!link) throw new Error('nothing planted')
  const newFolder = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hoplet-click-log-'))
    cleanups.push(() => rm(folder, { recursive: true, force: true }))
    return folder
  }
  const dataDir = await newFolder()
  const { log, lines, messages } = recordLog()
  const openStore = (logger: Logger = log) => {
    const database = openDatabase(store.url, logger)
    cleanups.push(() => database.close())
    return database
  }
  const database = openStore()
  const open = (folder = dataDir) => {
    const config = {
      clicks: { mode: 'journal', fsync: false, reserveBytes: 0, stream },
      dataDir: folder,
      sharedDataDir: undefined,
      workers: 1,
    } as const
    const counting = startCounting({ config, database, log, keyId: 'key' })
    const sink = openClickSink({ config, database, port: connectHere(counting), log })
    let closing: Promise<void> | undefined
    const close = () => (closing ??= sink.close())
    cleanups.push(close)
    return {
      ...sink,
      close,
      /** Resolves when the visit could be answered. */
      visit: (count: number) =>
        new Promise<void>((resolve) => sink.write(clickRecords(link.id, count), resolve)),
    }
  }
  return {
    sql: store.sql,
    url: store.url,
    database,
    dataDir,
    newFolder,
    link,
    log,
    lines,
    messages,
    open,
    counted: () => countOf(store.sql, link.id),
  }
}
