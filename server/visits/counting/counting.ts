import { createPostgresStore } from '../../analytics/store/postgres-store.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import { createBreaker } from '../../primitives/breaker.ts'
import { createJobs } from '../../primitives/jobs.ts'
import { startAdoption } from '../journal/adoption.ts'
import {
  type CountedLog,
  type CountedLogDeps,
  type CountedLogOptions,
  closeTimeoutMs,
  journalFolder,
} from './click-log.ts'
import { createDirectWriter } from './direct-writer.ts'
import { openCountedStream } from '../stream/counted-stream.ts'
import { handleMessage } from '../../primitives/handle-message.ts'
import { startApplier } from './applier.ts'
import { keepReserve, openJournalReserve } from '../journal/journal-reserve.ts'
import { createJournalWriter } from '../journal/journal-writer.ts'
import { type Journal, lagOf, openJournal } from '../journal/journal.ts'
import { createLostClicks } from '../journal/only-in-memory.ts'
import { readWaitingClicks } from './waiting-clicks.ts'
import type { CountingStatus, FromCounting, ToCounting } from './messages.ts'

export interface CountingDeps {
  config: Pick<Config, 'clicks' | 'dataDir' | 'sharedDataDir' | 'workers'>
  database: Database
  log: Logger
  /** The id of the key that signs tokens: servers of one database have the same. */
  keyId: string
}

export type Counting = ReturnType<typeof startCounting>

interface Connected {
  send: (message: FromCounting) => void
  /** How busy its event loop was lately, 0 to 1. */
  load: number
  /** Its last status, as text. */
  status: string
}

const withoutLog = {
  applied: 0,
  orphaned: 0,
  corrupt: 0,
  lost: 0,
  journalBytes: 0,
  reserve: { ready: 0, missing: 0 },
}

/**
 * Counts the clicks of a server: applies the journals of its processes, or reads its click stream, and counts records
 * that no log took. A server has one of these, so repeats are known across its processes (docs/decisions/0082). Takes
 * over the journals of earlier processes first.
 */
export function startCounting(deps: CountingDeps) {
  const { database, log } = deps
  const hits = createPostgresStore({ database, log })
  const writers = new Map<string, Connected>()
  const jobs = createJobs({ log })
  const adoption = startAdoption({ ...deps, hits, jobs })
  const breaker = createBreaker({ maxFailures: 3, retryMs: 1_000 })
  const maxLoad = () => Math.max(0, ...[...writers.values()].map(({ load }) => load))
  const clickLog = openCountedLog(
    { ...deps, hits },
    {
      measureLoad: () => maxLoad,
      onRemoved: (segment) => sendToAll({ kind: 'removed', segment }),
    },
  )
  const direct = createDirectWriter({ database, breaker, hits, log }, () => clickLog?.memory)

  const sendToAll = (message: FromCounting) => {
    for (const { send } of writers.values()) send(message)
  }
  const statusFor = (journal: string): CountingStatus => {
    const inLog = clickLog?.status() ?? withoutLog
    const { applied, lost, waitingMs } = direct.status()
    return {
      ...inLog,
      applied: applied + inLog.applied,
      lost: lost + inLog.lost,
      adopted: adoption.totals().applied,
      bytesElsewhere: clickLog?.bytesElsewhere(journal) ?? 0,
      lag: clickLog?.lag() ?? null,
      directMs: waitingMs,
      stream: clickLog?.stream() ?? { missingBytes: 0, waitingMessages: 0 },
    }
  }
  const sendStatus = (journal: string, writer: Connected) => {
    const status = statusFor(journal)
    const text = JSON.stringify(status)
    if (writer.status === text) return
    writer.status = text
    writer.send({ kind: 'status', status })
  }
  const receive = async (journal: string, message: ToCounting) => {
    const writer = writers.get(journal)
    // Its journal has been taken over.
    if (!writer) return
    await handleMessage(message, {
      written({ load, segments }) {
        writer.load = load
        clickLog?.follow(journal, segments)
        sendStatus(journal, writer)
      },
      reconnected: () => clickLog?.clearMarks(),
      async count({ batch, records }) {
        await direct.write(Buffer.from(records))
        sendStatus(journal, writer)
        writer.send({ kind: 'counted', batch })
      },
      async waiting({ question }) {
        // A disk that is gone cannot say it.
        const targets = await clickLog?.waiting().catch(() => undefined)
        sendStatus(journal, writer)
        writer.send({ kind: 'waiting', question, targets: targets ? [...targets] : null })
      },
    })
  }
  const adopt = (journal: string) => {
    try {
      clickLog?.adopt(journal)
    } catch (error) {
      // On a disk that turned read-only. The clicks that were reported are counted, and the next start takes the files.
      log.error({ err: error, journal }, 'the journal of a process could not be taken over')
    }
  }
  return {
    /**
     * A process that answers visits, with the folder of its journal.
     *
     * @param send gets messages for it
     * @returns call it with each of its messages
     */
    connect(journal: string, send: Connected['send']): (message: ToCounting) => void {
      writers.set(journal, { send, load: 0, status: '' })
      return (message) => void receive(journal, message)
    },
    /** The process has ended: its journal becomes the server's. */
    disconnect(journal: string): void {
      writers.delete(journal)
      adopt(journal)
    },
    /** No process writes any more: applies the rest, for at most 10 s. */
    async close(): Promise<void> {
      for (const journal of writers.keys()) adopt(journal)
      await jobs.close()
      await clickLog?.close()
      await direct.close()
      for (const [journal, writer] of writers) sendStatus(journal, writer)
    },
  }
}

function openCountedLog(deps: CountedLogDeps, options: CountedLogOptions): CountedLog | undefined {
  const { mode, stream } = deps.config.clicks
  if (mode !== 'journal') return undefined
  return stream ? openCountedStream(deps, stream, options) : openAppliedJournal(deps, options)
}

/** The counting side of the journal: files of earlier processes, and the journals of the running ones, applied together. */
function openAppliedJournal(
  { config, database, hits, log }: CountedLogDeps,
  { measureLoad, onRemoved }: CountedLogOptions = {},
): CountedLog {
  const reserve = openJournalReserve(config)
  const keeping = keepReserve(reserve, log)
  const lost = createLostClicks(log)
  const { fsync } = config.clicks
  const opened = openJournal(journalFolder(config), { fsync, reserve, onLost: lost.add })
  const journal: Journal = {
    ...opened,
    remove(segment) {
      opened.remove(segment)
      onRemoved?.(segment.id)
    },
  }
  const applier = startApplier({ journal, database, hits, log, measureLoad })
  return {
    status: () => ({
      ...applier.status(),
      lost: lost.clicks(),
      journalBytes: journal.bytes(),
      reserve: reserve.status(),
    }),
    lag: () => lagOf(journal),
    waiting: () => readWaitingClicks(journal),
    stream: () => ({ missingBytes: 0, waitingMessages: 0 }),
    memory: { recordUnsafe: journal.recordUnsafe, keep: createJournalWriter(journal, log).keep },
    follow: journal.follow,
    adopt: journal.adopt,
    bytesElsewhere: (name) => journal.bytes() - journal.bytesIn(name),
    clearMarks: applier.clearMarks,
    async close() {
      await keeping.close()
      await applier.close(closeTimeoutMs)
      journal.close()
    },
  }
}
