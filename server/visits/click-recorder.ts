import { encodeClick, maxRecordSize } from './record/click-record.ts'
import { type RecordVersionDeps, startRecordVersion } from './record/record-version.ts'
import type { ClickSink } from './counting/click-log.ts'
import type { ClickTarget } from './names/name-entry.ts'
import type { ResponseSink, VisitResponse } from './responses.ts'
import type { Visitor } from './visitor/visitor-facts.ts'

/** Records visits, then sends their responses. */
export type ClickRecorder = ReturnType<typeof createClickRecorder>

interface ClickRecorderDeps extends RecordVersionDeps {
  sink: ClickSink
}

/** One write fits into one message of the click stream. */
const bufferBytes = 256 * 1024

/** Group commit: the visits of one turn of the event loop are written together, then their responses are sent. */
export function createClickRecorder({ sink, ...deps }: ClickRecorderDeps) {
  const version = startRecordVersion(deps)
  const buffer = Buffer.allocUnsafe(bufferBytes)
  let usedBytes = 0
  let visits: { connection: ResponseSink; response: VisitResponse }[] = []

  const flush = () => {
    if (visits.length === 0) return
    const batch = visits
    const records = buffer.subarray(0, usedBytes)
    visits = []
    usedBytes = 0
    sink.write(records, () => {
      for (const { connection, response } of batch) connection.send(response)
    })
  }

  return {
    /** Records one visit and sends `response` as soon as the record is as safe as CLICK_MODE promises. */
    record(
      { kind, id }: ClickTarget,
      visitor: Visitor,
      connection: ResponseSink,
      response: VisitResponse,
    ): void {
      if (usedBytes > bufferBytes - maxRecordSize) flush()
      usedBytes = encodeClick(buffer, usedBytes, Date.now(), kind, id, visitor, version.written())
      if (visits.push({ connection, response }) === 1) setImmediate(flush)
    },
    /** Compares the version of the records with the other servers at once. */
    compareVersions: version.run,
    /** Writes and applies the remaining clicks, within about 10 s. */
    async close() {
      flush()
      await version.close()
      await sink.close()
    },
  }
}
