import { recordsIn } from '#domain/transfer/record-fields.ts'
import { cursorNumber, readCursor } from './cursor.ts'
import { readSourceObject, unknownAnswer } from './read-answer.ts'
import type { SourceApi } from './source-access.ts'

const pageSize = 50

/** Kutt API v2: the links of the person of the key. */
export const kuttApi: SourceApi = {
  pauseMs: 200,
  async readPage(access, cursor) {
    const skip = cursorNumber(readCursor(cursor)['skip'])
    const path = `/api/v2/links?limit=${pageSize}&skip=${skip}`
    const answer = await readSourceObject(access, path, { 'x-api-key': access.token })
    if (!Array.isArray(answer['data'])) throw unknownAnswer()
    const records = recordsIn(answer['data'])
    const total = cursorNumber(answer['total'])
    const next = skip + answer['data'].length
    const isLast = records.length === 0 || next >= total
    return { records, cursor: isLast ? undefined : JSON.stringify({ skip: next }), total }
  },
}
