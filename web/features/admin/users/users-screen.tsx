import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { routes } from '#domain/routes.ts'
import { adminNotices, deleteUserQuestion } from '#domain/texts/admin-texts.ts'
import type { AdminUserRow } from '#web/api/database-admin.ts'
import { Button } from '#web/ui/button.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { AdminPage } from '../admin-page.tsx'
import { RowsSkeleton } from '../rows-skeleton.tsx'
import { SearchField } from '../search-field.tsx'
import { useUserMutations } from './user-mutations.tsx'
import { UserEditDialog } from './user-edit-dialog.tsx'
import { usersPerPage, usersQuery } from './users-query.ts'
import { UsersTable } from './users-table.tsx'
import { sortedBy, type UsersView } from './users-view.ts'

const route = getRouteApi(routes.adminUsers.path)
const count = new Intl.NumberFormat('en-US')

export function UsersScreen() {
  const { page = 1, ...view } = route.useSearch()
  const navigate = useNavigate()
  const query = useQuery(usersQuery({ ...view, page }))
  const { saveUser, deleteUser, dialog } = useUserMutations()
  const [editing, setEditing] = useState<AdminUserRow>()
  const list = useRef<HTMLDivElement>(null)

  const show = (search: UsersView) =>
    void navigate({ to: routes.adminUsers.path, search, resetScroll: false })

  function searchFor(q: string) {
    const { q: _before, ...rest } = view
    show(q === '' ? rest : { ...rest, q })
  }

  function askAndDelete(user: AdminUserRow) {
    if (deleteUser.isPending) return
    // The browser's own question, as the specification has it.
    if (!window.confirm(deleteUserQuestion)) return
    deleteUser.mutate(user, { onSuccess: () => list.current?.focus({ preventScroll: true }) })
  }

  return (
    <AdminPage title="User Management" intro="Everybody who has an account on this server.">
      <SearchField
        label="Search users"
        placeholder="Search by email or name"
        value={view.q ?? ''}
        onSearch={searchFor}
      />
      <div ref={list} tabIndex={-1} data-quiet-focus aria-busy={query.isFetching} className="mt-5">
        <QueryPanel
          query={query}
          loading="Loading users"
          skeleton={<RowsSkeleton rows={12} />}
          failed={adminNotices.usersFailed}
        >
          {({ total, matching, more, rows }) => (
            <>
              <output className="mb-4 block text-sm text-ink-soft tabular-nums">
                Total users: {count.format(total)}
                {view.q === undefined
                  ? null
                  : ` · ${count.format(matching)}${more ? '+' : ''} found`}
              </output>
              {rows.length === 0 ? (
                <StatePanel
                  title={view.q === undefined ? 'No users here' : `No users match “${view.q}”`}
                  action={<Button onClick={() => show({})}>Show All Users</Button>}
                />
              ) : (
                <UsersTable
                  rows={rows}
                  view={view}
                  onSort={(by) => show({ ...view, ...sortedBy(view, by) })}
                  onEdit={setEditing}
                  onDelete={askAndDelete}
                />
              )}
              <Pager
                page={page}
                pages={Math.ceil(matching / usersPerPage)}
                onPage={(next) => show(next === 1 ? view : { ...view, page: next })}
              />
            </>
          )}
        </QueryPanel>
      </div>
      <UserEditDialog user={editing} save={saveUser} onClose={() => setEditing(undefined)} />
      {dialog}
    </AdminPage>
  )
}

interface PagerProps {
  page: number
  pages: number
  onPage: (page: number) => void
}

/** One page on, one page back, and where one is. */
function Pager({ page, pages, onPage }: PagerProps) {
  if (pages <= 1 && page === 1) return null
  return (
    <nav aria-label="Pages" className="mt-6 flex items-center justify-between gap-3">
      <Button size="small" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        <ChevronLeft size={16} aria-hidden />
        Previous
      </Button>
      <p aria-live="polite" className="text-sm text-ink-soft tabular-nums">
        Page {page} of {Math.max(pages, 1)}
      </p>
      <Button size="small" disabled={page >= pages} onClick={() => onPage(page + 1)}>
        Next
        <ChevronRight size={16} aria-hidden />
      </Button>
    </nav>
  )
}
