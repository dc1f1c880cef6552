import { isRecord, recordsIn } from '#domain/transfer/record-fields.ts'
import { cursorNumber, cursorText, readCursor } from './cursor.ts'
import { readSourceObject } from './read-answer.ts'
import type { SourceAccess, SourceApi } from './source-access.ts'

const pageSize = 100

/** Bitly API v4: the links of each group in turn, archived ones too. */
export const bitlyApi: SourceApi = {
  // 150 requests a minute.
  pauseMs: 400,
  async readPage(access, cursor) {
    const state = readCursor(cursor)
    const groups = Array.isArray(state['groups'])
      ? state['groups'].flatMap((guid) => cursorText(guid) ?? [])
      : await readGroups(access)
    const at = cursorNumber(state['at'])
    const group = groups[at]
    if (group === undefined) return { records: [] }
    const after = cursorText(state['after'])
    const query = new URLSearchParams({ size: String(pageSize), archived: 'both' })
    if (after !== undefined) query.set('search_after', after)
    const path = `/v4/groups/${encodeURIComponent(group)}/bitlinks?${query}`
    const answer = await readSourceObject(access, path, headersOf(access))
    const records = recordsIn(answer['links'])
    const pagination = isRecord(answer['pagination']) ? answer['pagination'] : {}
    const next = records.length === 0 ? undefined : nextOf(pagination)
    const total = groups.length === 1 ? cursorNumber(pagination['total']) : 0
    return { records, cursor: cursorOf(groups, at, next), total: total || undefined }
  },
}

function cursorOf(groups: readonly string[], at: number, next: string | undefined) {
  if (next !== undefined) return JSON.stringify({ groups, at, after: next })
  return at + 1 < groups.length ? JSON.stringify({ groups, at: at + 1 }) : undefined
}

/** `next` is an address. Only its parameter is read: the token goes to no other address. */
function nextOf(pagination: Readonly<Record<string, unknown>>): string | undefined {
  const after = cursorText(pagination['search_after'])
  const next = cursorText(pagination['next'])
  if (after !== undefined || next === undefined || !URL.canParse(next)) return after
  return cursorText(new URL(next).searchParams.get('search_after'))
}

async function readGroups(access: SourceAccess): Promise<string[]> {
  const { groups } = await readSourceObject(access, '/v4/groups', headersOf(access))
  return recordsIn(groups).flatMap(({ guid }) => cursorText(guid) ?? [])
}

function headersOf({ token }: SourceAccess) {
  return { authorization: `Bearer ${token}` }
}
