import type { QueryResultRow } from 'pg'
import { onlyRow } from '../../postgres/rows.ts'
import { type AuthCall, transaction } from '../call.ts'
import { authErrors } from '../errors.ts'

interface Page<Row> {
  rows: Row[]
  /** How many rows there are in all, and where the other pages are. */
  headers: Record<string, string>
}

/**
 * The page of all rows, newest first, that `?page=&per_page=` names.
 *
 * @param columns of the table, which is called `u`
 * @throws {AuthError} 400 validation_failed
 */
export async function readPage<Row extends QueryResultRow>(
  call: AuthCall,
  table: 'users' | 'oauth_clients',
  columns: string,
): Promise<Page<Row>> {
  const page = numberIn(call, 'page', 1, 1_000_000)
  const size = numberIn(call, 'per_page', 50, 1_000)
  return transaction(call, async (db) => {
    // Spaces are no users.
    const rowsOf = table === 'users' ? `auth.users u where u.kind = 'person'` : `auth.${table} u`
    const count = `select count(*)::int as total from ${rowsOf}`
    const { total } = await onlyRow<{ total: number }>(db, count, [])
    const last = Math.max(1, Math.ceil(total / size))
    const links = [
      ...(page < last ? [linkTo(call, page + 1, 'next')] : []),
      linkTo(call, last, 'last'),
    ]
    const { rows } = await db.query<Row>(
      `select ${columns} from ${rowsOf} order by u.created_at desc, u.id desc limit $1 offset $2`,
      [size, (page - 1) * size],
    )
    return { rows, headers: { 'X-Total-Count': String(total), Link: links.join(', ') } }
  })
}

/** `page` comes first: the official client reads the value after the first `=`. */
function linkTo({ deps, url }: AuthCall, page: number, rel: 'next' | 'last'): string {
  const others = new URLSearchParams(url.searchParams)
  others.delete('page')
  const query = new URLSearchParams([['page', String(page)], ...others])
  return `<${deps.config.publicUrl}${url.pathname}?${query}>; rel="${rel}"`
}

function numberIn({ url }: AuthCall, name: string, missing: number, greatest: number): number {
  const given = url.searchParams.get(name)
  if (!given) return missing
  const value = /^\d{1,7}$/.test(given) ? Number(given) : 0
  if (value < 1 || value > greatest)
    throw authErrors.invalid(`Bad Pagination Parameters: ${name} must be 1 to ${greatest}`)
  return value
}
