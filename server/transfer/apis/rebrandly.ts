import { recordsIn } from '#domain/transfer/record-fields.ts'
import { cursorNumber, cursorText, readCursor } from './cursor.ts'
import { readSourceJson, readSourceObject, unknownAnswer } from './read-answer.ts'
import type { SourceAccess, SourceApi } from './source-access.ts'

const pageSize = 25

/** Rebrandly API v1: links of the workspace, newest first. The token may have the id of a workspace behind a blank. */
export const rebrandlyApi: SourceApi = {
  pauseMs: 500,
  async readPage(access, cursor) {
    const state = readCursor(cursor)
    const last = cursorText(state['last'])
    const headers = headersOf(access)
    const total =
      cursorNumber(state['total']) ||
      cursorNumber((await readSourceObject(access, '/v1/links/count', headers))['count'])
    const query = new URLSearchParams({
      limit: String(pageSize),
      orderBy: 'createdAt',
      orderDir: 'desc',
    })
    if (last !== undefined) query.set('last', last)
    const answer = await readSourceJson(access, `/v1/links?${query}`, headers)
    if (!Array.isArray(answer)) throw unknownAnswer()
    const records = recordsIn(answer)
    const next = cursorText(records.at(-1)?.['id'])
    return {
      records,
      // Only an empty list is the end.
      cursor: next === undefined ? undefined : JSON.stringify({ last: next, total }),
      total,
    }
  },
}

function headersOf({ token }: SourceAccess): Record<string, string> {
  const [apikey = '', workspace] = token.split(/\s+/)
  return workspace === undefined ? { apikey } : { apikey, workspace }
}
