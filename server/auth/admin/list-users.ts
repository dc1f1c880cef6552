import { type AuthCall, transaction } from '../call.ts'
import { authErrors } from '../errors.ts'
import { presentUser } from '../present-user.ts'
import { countUsers, listUsers } from '../users.ts'

const defaultPageSize = 50
const maxPageSize = 1_000

/** GET /admin/users?page=&per_page=: all accounts, newest first; the header `Link` has the other pages. */
export async function getUsers(call: AuthCall): Promise<Response> {
  const page = numberIn(call, 'page', 1, 1_000_000)
  const perPage = numberIn(call, 'per_page', defaultPageSize, maxPageSize)
  const { users, total } = await transaction(call, async (db) => ({
    users: await listUsers(db, { limit: perPage, offset: (page - 1) * perPage }),
    total: await countUsers(db),
  }))
  const last = Math.max(1, Math.ceil(total / perPage))
  return Response.json(
    { users: users.map(presentUser), aud: 'authenticated' },
    {
      headers: {
        'Cache-Control': 'no-store',
        'X-Total-Count': String(total),
        Link: links(call, page, last),
      },
    },
  )
}

/** `page` comes first: the official client reads the value after the first `=`. */
function links({ deps, url }: AuthCall, page: number, last: number): string {
  const address = (to: number) => {
    const others = new URLSearchParams(url.searchParams)
    others.delete('page')
    const query = new URLSearchParams([['page', String(to)], ...others])
    return `<${deps.config.publicUrl}/auth/v1/admin/users?${query}>`
  }
  return [
    ...(page < last ? [`${address(page + 1)}; rel="next"`] : []),
    `${address(last)}; rel="last"`,
  ].join(', ')
}

function numberIn({ url }: AuthCall, name: string, missing: number, greatest: number): number {
  const given = url.searchParams.get(name)
  if (!given) return missing
  const value = /^\d{1,7}$/.test(given) ? Number(given) : 0
  if (value < 1 || value > greatest)
    throw authErrors.invalid(`Bad Pagination Parameters: ${name} must be 1 to ${greatest}`)
  return value
}
