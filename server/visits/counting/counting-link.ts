import { performance } from 'node:perf_hooks'
import type { Listener } from '../../postgres/listen.ts'
import type { WrittenSegment } from '../journal/journal-files.ts'
import type { WaitingByTarget } from './waiting-clicks.ts'
import { type CountingPort, type CountingStatus, reportMs } from './messages.ts'
import { handleMessage } from '../../primitives/handle-message.ts'
import { ifDefined } from '../../primitives/if-defined.ts'

interface LinkOptions {
  port: CountingPort
  listener?: Pick<Listener, 'on'> | undefined
  /** Writes to the journal since the last call. */
  written: () => WrittenSegment[]
  /** A segment was applied long ago, and its file is gone. */
  onRemoved: (segment: string) => void
}

/** Reports the writes and the load of this process to the counting of the server, and knows the state of all clicks. */
export function createCountingLink({ port, listener, written, onRemoved }: LinkOptions) {
  let status: CountingStatus | undefined
  const questions = new Map<number, (targets: WaitingByTarget | undefined) => void>()
  const batches = new Map<number, () => void>()
  let sent = 0
  let load = performance.eventLoopUtilization()

  port.on((received) => {
    handleMessage(received, {
      status: (message) => (status = message.status),
      removed: ({ segment }) => onRemoved(segment),
      counted({ batch }) {
        batches.get(batch)?.()
        batches.delete(batch)
      },
      waiting({ question, targets }) {
        questions.get(question)?.(ifDefined(targets, (entries) => new Map(entries)))
        questions.delete(question)
      },
    })
  })
  listener?.on(
    'hoplet_names',
    () => {},
    () => port.send({ kind: 'reconnected' }),
  )
  const report = () => {
    const { utilization } = performance.eventLoopUtilization(load)
    load = performance.eventLoopUtilization()
    port.send({ kind: 'written', segments: written(), load: utilization })
  }
  // The answer is the first status.
  const first = setImmediate(report)
  const timer = setInterval(report, reportMs)
  return {
    /** The last message; undefined until then. */
    status: () => status,
    /** Has records counted that no log took. `release` is called when they are, or wait in memory for the database. */
    count(records: Buffer, release: () => void): void {
      const batch = sent++
      batches.set(batch, release)
      // A copy, because the caller uses its buffer again.
      port.send({ kind: 'count', batch, records: Uint8Array.from(records) })
    },
    /** The clicks of the server that are not in the database yet. */
    waiting(): Promise<WaitingByTarget | undefined> {
      report()
      const question = sent++
      return new Promise((resolve) => {
        questions.set(question, resolve)
        port.send({ kind: 'waiting', question })
      })
    },
    /** Call it after the last write. */
    async close(): Promise<void> {
      clearImmediate(first)
      clearInterval(timer)
      report()
      await port.close()
    },
  }
}
