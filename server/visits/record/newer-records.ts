import type { Logger } from '../../log.ts'
import type { NewerRecord } from './decode-clicks.ts'

/** For the log. */
export const unknownVerdicts =
  'clicks with a verdict that this version does not know were not counted'

export type NewerRecords = ReturnType<typeof createNewerRecords>

/** A later release wrote these clicks: they wait for a server that reads them. */
export class NewerRecordsError extends Error {
  name = 'NewerRecordsError'
  readonly record: NewerRecord
  constructor(record: NewerRecord) {
    super(`the click records have version ${record.version}`)
    this.record = record
  }
}

/** Where this process stopped at a record of a later version, each logged once. */
export function createNewerRecords(log: Logger) {
  const sources = new Set<string>()
  return {
    has: (source: string): boolean => sources.has(source),
    stopAt(source: string, { version }: NewerRecord): void {
      if (sources.has(source)) return
      sources.add(source)
      log.error(
        { source, version },
        'clicks wait: a newer version of Hoplet wrote them, and this one does not read further; update this server',
      )
    },
  }
}
