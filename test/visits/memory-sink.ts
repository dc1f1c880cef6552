import type { ClickSink, ClickSinkDeps } from '#server/visits/click-log.ts'
import { createDirectWriter } from '#server/visits/direct-writer.ts'

/** A click sink that loses clicks when the process dies: the control for tests that expect no loss. */
export function openMemorySink(deps: ClickSinkDeps): ClickSink {
  const direct = createDirectWriter(deps)
  let held: Buffer[] = []
  const flush = async () => {
    const records = Buffer.concat(held)
    held = []
    if (records.length > 0) await direct.write(records)
  }
  const timer = setInterval(() => void flush(), 500)
  return {
    write(records, release) {
      held.push(Buffer.from(records))
      release()
    },
    status: () => ({
      degraded: false,
      orphaned: 0,
      corrupt: 0,
      journalBytes: 0,
      reserve: { ready: 0, missing: 0 },
      ...direct.status(),
    }),
    lag: () => null,
    stream: () => null,
    waiting: () => Promise.resolve(undefined),
    async close() {
      clearInterval(timer)
      await flush()
      await direct.close()
    },
  }
}
