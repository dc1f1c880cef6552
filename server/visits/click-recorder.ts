import type { Config } from '../config.ts'
import { encodeClick, maxRecordSize } from './click-record.ts'
import type { ClickSink, ClickSinkStatus } from './click-sink.ts'
import type { JournalLag } from './journal-lag.ts'
import type { ClickTarget } from './name-entry.ts'
import { type ResponseSink, send, type VisitResponse } from './responses.ts'
import type { Visitor } from './visitor.ts'

/** Records visits, then sends their responses. */
export interface ClickRecorder {
  /** Records one visit and sends `response` as soon as the record is as safe as CLICK_MODE promises. */
  record(
    target: Pick<ClickTarget, 'kind' | 'idBytes'>,
    visitor: Visitor,
    sink: ResponseSink,
    response: VisitResponse,
  ): void
  status(): ClickStatus
  /** Null without a journal. */
  lag(): JournalLag | null
  /** Writes and applies the remaining clicks, within about 10 s. */
  close(): Promise<void>
}

export interface ClickStatus extends ClickSinkStatus {
  mode: Config['clicks']['mode']
}

const bufferBytes = 1024 ** 2

/** Group commit: the visits of one turn of the event loop are written together, then their responses are sent. */
export function createClickRecorder(
  clickSink: ClickSink,
  mode: Config['clicks']['mode'],
): ClickRecorder {
  const buffer = Buffer.allocUnsafe(bufferBytes)
  let usedBytes = 0
  let sinks: ResponseSink[] = []
  let responses: VisitResponse[] = []

  const flush = () => {
    if (sinks.length === 0) return
    const batch = { sinks, responses }
    const records = buffer.subarray(0, usedBytes)
    sinks = []
    responses = []
    usedBytes = 0
    clickSink.write(records, batch.sinks.length, () => {
      for (const [i, sink] of batch.sinks.entries()) {
        const response = batch.responses[i]
        if (response) send(sink, response)
      }
    })
  }

  return {
    record({ kind, idBytes }, visitor, sink, response) {
      if (usedBytes > bufferBytes - maxRecordSize) flush()
      usedBytes = encodeClick(buffer, usedBytes, Date.now(), kind, idBytes, visitor)
      responses.push(response)
      if (sinks.push(sink) === 1) setImmediate(flush)
    },
    status: () => ({ mode, ...clickSink.status() }),
    lag: () => clickSink.lag?.() ?? null,
    async close() {
      flush()
      await clickSink.close()
    },
  }
}
