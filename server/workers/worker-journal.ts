import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import {
  type ClickJournal,
  type ClickSinkDeps,
  createJournalWriter,
  journalFolder,
} from '../visits/click-sink.ts'
import { openJournal } from '../visits/journal.ts'
import type { WaitingByTarget } from '../visits/waiting-clicks.ts'
import { type JournalsStatus, reportMs } from './messages.ts'
import type { PrimaryLink } from './primary-link.ts'

/**
 * The journal of a worker: it only writes, and tells the primary how far. The primary applies the journals of all
 * workers, so that it alone decides which visits are repeats.
 *
 * @param name of its folder, which no other process has used
 */
export function openWorkerJournal(
  { config, log }: ClickSinkDeps,
  { name, primary }: { name: string; primary: PrimaryLink },
): ClickJournal {
  let known: JournalsStatus | undefined
  const journal = openJournal(join(journalFolder(config), name), {
    fsync: config.clicks.fsync,
    bytesElsewhere: () => known?.bytesElsewhere ?? 0,
  })
  const writer = createJournalWriter(journal, log)
  const reported = new Map<string, string>()
  const questions = new Map<number, (targets: WaitingByTarget | undefined) => void>()
  let asked = 0
  let load = performance.eventLoopUtilization()

  const report = () => {
    const written = journal
      .segments()
      .map(({ id, size, closed, writtenAt }) => ({ id, size, closed, writtenAt }))
      .filter(({ id, size, closed }) => {
        const state = `${size} ${closed}`
        if (reported.get(id) === state) return false
        reported.set(id, state)
        return true
      })
    const { utilization } = performance.eventLoopUtilization(load)
    load = performance.eventLoopUtilization()
    return primary.send({ kind: 'report', written, load: utilization })
  }
  const timer = setInterval(() => void report(), reportMs)
  primary.on((message) => {
    if (message.kind === 'journals') known = message.status
    if (message.kind === 'removed') {
      journal.forget(message.segment)
      reported.delete(message.segment)
    }
    if (message.kind === 'waiting') {
      questions.get(message.question)?.(message.targets ? new Map(message.targets) : undefined)
      questions.delete(message.question)
    }
  })

  return {
    append: writer.append,
    status: () => ({
      degraded: writer.isDegraded(),
      applied: known?.applied ?? 0,
      orphaned: known?.orphaned ?? 0,
      corrupt: known?.corrupt ?? 0,
      journalBytes: known?.journalBytes ?? journal.bytes(),
    }),
    lag: () => known?.lag ?? null,
    /** The clicks in all journals; the primary knows how far they were applied. */
    async waiting() {
      await report()
      const question = asked++
      return new Promise((resolve) => {
        questions.set(question, resolve)
        void primary.send({ kind: 'waiting', question })
      })
    },
    /** The primary applies the rest when this process has ended. */
    async close() {
      clearInterval(timer)
      await report()
      journal.close()
    },
  }
}
