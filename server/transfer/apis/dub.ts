import { recordsIn } from '#domain/transfer/record-fields.ts'
import { cursorText, readCursor } from './cursor.ts'
import { readSourceJson, unknownAnswer } from './read-answer.ts'
import type { SourceApi } from './source-access.ts'

const pageSize = 100

/** Dub: all links of the workspace of the key, archived ones too. */
export const dubApi: SourceApi = {
  // 60 requests a minute on Free.
  pauseMs: 1_000,
  async readPage(access, cursor) {
    const after = cursorText(readCursor(cursor)['after'])
    const query = new URLSearchParams({ pageSize: String(pageSize), showArchived: 'true' })
    if (after !== undefined) query.set('startingAfter', after)
    const headers = { authorization: `Bearer ${access.token}` }
    const answer = await readSourceJson(access, `/links?${query}`, headers)
    if (!Array.isArray(answer)) throw unknownAnswer()
    const records = recordsIn(answer)
    const last = cursorText(records.at(-1)?.['id'])
    const isLast = answer.length < pageSize || last === undefined
    return { records, cursor: isLast ? undefined : JSON.stringify({ after: last }) }
  },
}
