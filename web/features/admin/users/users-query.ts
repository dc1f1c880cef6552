import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answerOf, tables } from '#web/api/client.ts'
import type { AdminUserPage } from '#web/api/database-admin.ts'
import type { UsersView } from './users-view.ts'

export const usersPerPage = 50

export function usersQuery({ q = '', sort = 'created_at', order, page = 1 }: UsersView) {
  return queryOptions({
    queryKey: ['admin', 'users', q, sort, order, page],
    // The rows found so far stay while the next letters are looked for.
    placeholderData: keepPreviousData,
    queryFn: ({ signal }): Promise<AdminUserPage> =>
      answerOf(
        tables.rpc('admin_users', {
          _search: q,
          _sort: sort,
          _descending: order !== 'asc',
          _limit: usersPerPage,
          _offset: (page - 1) * usersPerPage,
        }),
        signal,
      ),
  })
}
