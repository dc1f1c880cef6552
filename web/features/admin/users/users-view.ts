import type { AdminUserSort } from '#web/api/database-admin.ts'

/** View of the users screen; it is part of the address, so that reloading and sharing keep it. */
export interface UsersView {
  q?: string
  sort?: AdminUserSort
  order?: 'asc' | undefined
  page?: number
}

const sorts: readonly AdminUserSort[] = ['email', 'display_name', 'role', 'plan_type', 'created_at']

export function readUsersView(search: Record<string, unknown>): UsersView {
  const q = search['q']
  const sort = sorts.find((name) => name === search['sort'])
  const page = Math.floor(Number(search['page'] ?? 1))
  return {
    ...(typeof q === 'string' || typeof q === 'number' ? { q: String(q) } : {}),
    ...(sort === undefined ? {} : { sort }),
    ...(search['order'] === 'asc' ? { order: 'asc' } : {}),
    ...(page > 1 && page < 1_000_000 ? { page } : {}),
  }
}

/** The order after a press on a column's head: the other way round, or this column, newest or A first. */
export function sortedBy(
  view: UsersView,
  by: AdminUserSort,
): { sort: AdminUserSort; order?: 'asc' | undefined } {
  const isCurrent = (view.sort ?? 'created_at') === by
  const ascending = isCurrent ? view.order !== 'asc' : by !== 'created_at'
  return { sort: by, order: ascending ? 'asc' : undefined }
}
