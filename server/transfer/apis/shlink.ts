import type { SourceRecord } from '#domain/transfer/imported.ts'
import { isRecord, recordsIn } from '#domain/transfer/record-fields.ts'
import { cursorNumber, cursorText, readCursor } from './cursor.ts'
import { jsonOf, readSourceObject, unknownAnswer } from './read-answer.ts'
import type { SourceAccess, SourceApi } from './source-access.ts'
import { SourceError } from './source-error.ts'

const pageSize = 100

/** Shlink REST API v3: short URLs, oldest first, each with its redirect rules. */
export const shlinkApi: SourceApi = {
  pauseMs: 100,
  async readPage(access, cursor) {
    const state = readCursor(cursor)
    const page = cursorNumber(state['page']) || 1
    const query = new URLSearchParams({
      page: String(page),
      itemsPerPage: String(pageSize),
      orderBy: 'dateCreated-ASC',
    })
    const answer = await readSourceObject(access, `/rest/v3/short-urls?${query}`, headersOf(access))
    const shortUrls = answer['shortUrls']
    if (!isRecord(shortUrls) || !Array.isArray(shortUrls['data'])) throw unknownAnswer()
    const pagination = isRecord(shortUrls['pagination']) ? shortUrls['pagination'] : {}
    const skip = cursorNumber(state['skip'])
    const listed = recordsIn(shortUrls['data']).slice(skip)
    const records = await withRules(access, listed)
    const total = cursorNumber(pagination['totalItems']) || undefined
    if (records.length < listed.length)
      return { records, cursor: JSON.stringify({ page, skip: skip + records.length }), total }
    const isLast = page >= cursorNumber(pagination['pagesCount'])
    return { records, cursor: isLast ? undefined : JSON.stringify({ page: page + 1 }), total }
  },
}

/** Those before the first one for which the server asks for a pause: the next page begins there. */
async function withRules(
  access: SourceAccess,
  listed: readonly SourceRecord[],
): Promise<SourceRecord[]> {
  const records: SourceRecord[] = []
  for (const record of listed) {
    try {
      records.push(await withRulesOf(access, record))
    } catch (error) {
      if (!(error instanceof SourceError) || error.kind !== 'wait' || records.length === 0)
        throw error
      return records
    }
  }
  return records
}

/** Versions before 4.3 do not say which short URLs have rules, so each one is asked for; those before 4.0 have none (404). */
async function withRulesOf(access: SourceAccess, record: SourceRecord): Promise<SourceRecord> {
  const code = cursorText(record['shortCode'])
  if (record['hasRedirectRules'] === false || code === undefined) return record
  const domain = cursorText(record['domain'])
  const query = domain === undefined ? '' : `?${new URLSearchParams({ domain })}`
  const path = `/rest/v3/short-urls/${encodeURIComponent(code)}/redirect-rules${query}`
  const answered = await access.get(`${access.origin}${path}`, headersOf(access))
  if (answered.status === 404) return record
  const rules = jsonOf(answered)
  return { ...record, redirectRules: isRecord(rules) ? rules['redirectRules'] : undefined }
}

function headersOf({ token }: SourceAccess) {
  return { 'x-api-key': token }
}
