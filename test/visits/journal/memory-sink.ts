import type { ClickSink, ClickSinkDeps } from '#server/visits/counting/click-log.ts'
import { openClickSink } from '#server/visits/counting/click-sink.ts'

/** A click sink that loses clicks when the process dies: the control for tests that expect no loss. */
export function openMemorySink(deps: ClickSinkDeps): ClickSink {
  const clicks = { ...deps.config.clicks, mode: 'sync' as const }
  const direct = openClickSink({ ...deps, config: { ...deps.config, clicks } })
  let held: Buffer[] = []
  const flush = () =>
    new Promise<void>((resolve) => {
      const records = Buffer.concat(held)
      held = []
      if (records.length > 0) direct.write(records, resolve)
      else resolve()
    })
  const timer = setInterval(() => void flush(), 500)
  return {
    ...direct,
    write(records, release) {
      held.push(Buffer.from(records))
      release()
    },
    async close() {
      clearInterval(timer)
      await flush()
      await direct.close()
    },
  }
}
