import { isRecord, recordsIn } from '#domain/transfer/record-fields.ts'
import { cursorNumber, readCursor } from './cursor.ts'
import { readSourceObject, unknownAnswer } from './read-answer.ts'
import type { SourceApi } from './source-access.ts'

const pageSize = 100

/** YOURLS: the action `stats`, newest first. The address of the person that made a link is dropped here. */
export const yourlsApi: SourceApi = {
  pauseMs: 100,
  async readPage(access, cursor) {
    const start = cursorNumber(readCursor(cursor)['start'])
    const query = new URLSearchParams({
      signature: access.token,
      action: 'stats',
      filter: 'last',
      limit: String(pageSize),
      start: String(start),
      format: 'json',
    })
    const answer = await readSourceObject(access, `/yourls-api.php?${query}`, {})
    const { links = {}, stats } = answer
    if (!isRecord(links) && !Array.isArray(links)) throw unknownAnswer()
    if (!isRecord(stats)) throw unknownAnswer()
    const listed = recordsIn(Object.values(links))
    const records = listed.map(({ ip: _ip, ...kept }) => kept)
    const total = Number(stats['total_links'])
    const next = start + records.length
    const isLast = records.length === 0 || next >= total
    return {
      records,
      cursor: isLast ? undefined : JSON.stringify({ start: next }),
      total: Number.isInteger(total) ? total : undefined,
    }
  },
}
