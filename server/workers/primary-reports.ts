import { performance } from 'node:perf_hooks'
import type { WrittenSegment } from '../visits/journal-files.ts'
import type { WaitingByTarget } from '../visits/waiting-clicks.ts'
import { type JournalsStatus, reportMs } from './messages.ts'
import type { PrimaryLink } from './primary-link.ts'

/**
 * Reports this worker's writes and load to the primary, and reads the primary's state of all clicks.
 *
 * @param written since the last call
 */
export function createPrimaryReports(primary: PrimaryLink, written: () => WrittenSegment[]) {
  let known: JournalsStatus | undefined
  const questions = new Map<number, (targets: WaitingByTarget | undefined) => void>()
  let asked = 0
  let load = performance.eventLoopUtilization()

  const report = () => {
    const { utilization } = performance.eventLoopUtilization(load)
    load = performance.eventLoopUtilization()
    return primary.send({ kind: 'report', written: written(), load: utilization })
  }
  const timer = setInterval(() => void report(), reportMs)
  primary.on((message) => {
    if (message.kind === 'journals') known = message.status
    if (message.kind === 'waiting') {
      questions.get(message.question)?.(message.targets ? new Map(message.targets) : undefined)
      questions.delete(message.question)
    }
  })
  return {
    /** The last message of the primary; undefined until then. */
    known: () => known,
    /** @param ownBytes in the journal of this worker */
    status: (ownBytes: number) => ({
      applied: known?.applied ?? 0,
      orphaned: known?.orphaned ?? 0,
      corrupt: known?.corrupt ?? 0,
      journalBytes: known?.journalBytes ?? ownBytes,
      // The primary reports it.
      reserve: { ready: 0, missing: 0 },
    }),
    /** The clicks of all workers; the primary knows how far they were applied. */
    async waiting(): Promise<WaitingByTarget | undefined> {
      await report()
      const question = asked++
      return new Promise((resolve) => {
        questions.set(question, resolve)
        void primary.send({ kind: 'waiting', question })
      })
    },
    async close(): Promise<void> {
      clearInterval(timer)
      await report()
    },
  }
}
