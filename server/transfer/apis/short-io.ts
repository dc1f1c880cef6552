import { recordsIn } from '#domain/transfer/record-fields.ts'
import { cursorNumber, cursorText, readCursor } from './cursor.ts'
import { readSourceJson, readSourceObject, unknownAnswer } from './read-answer.ts'
import type { SourceAccess, SourceApi } from './source-access.ts'

const pageSize = 150

interface ShortDomain {
  id: string
  hostname: string
}

/** Short.io: the links of each domain in turn, with its name as `domainName`. */
export const shortIoApi: SourceApi = {
  pauseMs: 500,
  async readPage(access, cursor) {
    const state = readCursor(cursor)
    const domains = Array.isArray(state['domains'])
      ? domainsIn(state['domains'])
      : await readDomains(access)
    const at = cursorNumber(state['at'])
    const domain = domains[at]
    if (domain === undefined) return { records: [] }
    const query = new URLSearchParams({ domain_id: domain.id, limit: String(pageSize) })
    const token = cursorText(state['token'])
    if (token !== undefined) query.set('pageToken', token)
    const answer = await readSourceObject(access, `/api/links?${query}`, headersOf(access))
    if (!Array.isArray(answer['links'])) throw unknownAnswer()
    const links = recordsIn(answer['links'])
    const records = links.map((link) => ({ ...link, domainName: domain.hostname }))
    const next = links.length === 0 ? undefined : cursorText(answer['nextPageToken'])
    return { records, cursor: cursorOf(domains, at, next) }
  },
}

function cursorOf(domains: readonly ShortDomain[], at: number, token: string | undefined) {
  if (token !== undefined) return JSON.stringify({ domains, at, token })
  return at + 1 < domains.length ? JSON.stringify({ domains, at: at + 1 }) : undefined
}

async function readDomains(access: SourceAccess): Promise<ShortDomain[]> {
  const answer = await readSourceJson(access, '/api/domains', headersOf(access))
  if (!Array.isArray(answer)) throw unknownAnswer()
  return domainsIn(answer)
}

function domainsIn(list: readonly unknown[]): ShortDomain[] {
  return recordsIn(list).flatMap((domain) => {
    const id = cursorText(domain['id'])
    return id === undefined ? [] : [{ id, hostname: cursorText(domain['hostname']) ?? '' }]
  })
}

/** The key alone, without `Bearer`. */
function headersOf({ token }: SourceAccess) {
  return { authorization: token }
}
