import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { popupNameOf } from '#domain/popups/popup-name.ts'
import { answerOf, tables } from '#web/api/client.ts'
import type { LeadRow } from '#web/api/database.ts'

/** The choice of the list; '' takes everything. */
export interface LeadFilter {
  search: string
  popup: string
  tag: string
}

const pageSize = 100
/** The most that one answer has. */
const exportSize = 1_000

export const leadsKey = (userId: string) => ['audience', userId] as const

function readLeads(
  userId: string,
  { search, popup, tag }: LeadFilter,
  { after, limit, signal }: { after: LeadRow | null; limit: number; signal?: AbortSignal },
): Promise<LeadRow[]> {
  let query = tables.from('leads').select('*').eq('user_id', userId)
  if (search !== '') query = query.ilike('email', `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`)
  if (popup !== '') query = query.eq('popup_id', popup)
  if (tag !== '') query = query.contains('tags', [tag])
  if (after !== null) {
    // The first condition lets the index find the place, the second steps over rows of the same instant.
    const { created_at: at, id } = after
    query = query.lte('created_at', at).or(`created_at.lt."${at}",id.lt.${id}`)
  }
  const newestFirst = query
    .order('created_at', { ascending: false })
    .order('id', { ascending: false })
  return answerOf(newestFirst.limit(limit), signal)
}

/** The leads of an account, newest first, a page at a time from the last one seen. */
export function leadsQuery(userId: string, filter: LeadFilter) {
  return infiniteQueryOptions({
    queryKey: [...leadsKey(userId), 'list', filter],
    queryFn: ({ pageParam, signal }) =>
      readLeads(userId, filter, { after: pageParam, limit: pageSize, signal }),
    initialPageParam: null as LeadRow | null,
    getNextPageParam: (last) => (last.length < pageSize ? null : (last.at(-1) ?? null)),
  })
}

/** All leads of a choice, in parts of up to 1,000. */
export async function* allLeads(userId: string, filter: LeadFilter): AsyncGenerator<LeadRow[]> {
  let after: LeadRow | null = null
  for (;;) {
    const rows: LeadRow[] = await readLeads(userId, filter, { after, limit: exportSize })
    if (rows.length > 0) yield rows
    if (rows.length < exportSize) return
    after = rows.at(-1) ?? null
  }
}

/** Size, tags and settings. */
export function audienceQuery(userId: string) {
  return queryOptions({
    queryKey: [...leadsKey(userId), 'facts'],
    queryFn: ({ signal }) => answerOf(tables.rpc('audience'), signal),
  })
}

/** Popups that a list can be narrowed to: the newest 1,000, by name. */
export function popupTitlesQuery(userId: string) {
  return queryOptions({
    queryKey: ['popups', userId, 'titles'],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
      const { data } = await tables
        .from('popups')
        .select('id, title, name')
        .eq('user_id', userId)
        .order('created_at', { ascending: false })
        .limit(1_000)
        .abortSignal(signal)
        .throwOnError()
      return new Map(data.map((popup) => [popup.id, popupNameOf(popup)]))
    },
  })
}
