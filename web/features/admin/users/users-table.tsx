import { Link } from '@tanstack/react-router'
import { Link2, Pencil, Trash2 } from 'lucide-react'
import { planOffers } from '#domain/plans.ts'
import { routes } from '#domain/routes.ts'
import type { AdminUserRow, AdminUserSort } from '#web/database-admin.ts'
import { IconButton, iconButtonClass } from '#web/ui/button.tsx'
import { type Column, DataTable } from '../data-table.tsx'
import { Tag } from '../tag.tsx'
import { dayOf } from '#web/ui/time-words.ts'
import type { UsersView } from './users-view.ts'

interface UsersTableProps {
  rows: readonly AdminUserRow[]
  view: UsersView
  onSort: (by: AdminUserSort) => void
  onEdit: (user: AdminUserRow) => void
  onDelete: (user: AdminUserRow) => void
}

export function UsersTable({ rows, view, onSort, onEdit, onDelete }: UsersTableProps) {
  const columns: Column<AdminUserRow, AdminUserSort>[] = [
    { head: 'Email', sort: 'email', cell: ({ email }) => <Words>{email}</Words> },
    {
      head: 'Display Name',
      sort: 'display_name',
      cell: ({ display_name }) => <Words>{display_name}</Words>,
    },
    {
      head: 'Role',
      sort: 'role',
      cell: ({ role }) => <Tag tone={role === 'admin' ? 'accent' : 'plain'}>{role}</Tag>,
    },
    { head: 'Plan', sort: 'plan_type', cell: ({ plan_type }) => planOffers[plan_type].name },
    {
      head: 'Created',
      sort: 'created_at',
      cell: ({ created_at }) => <span className="whitespace-nowrap">{dayOf(created_at)}</span>,
    },
    {
      head: 'Actions',
      cell: (user) => (
        <span className="-ml-2.5 flex">
          <IconButton label={`Edit ${nameOf(user)}`} onClick={() => onEdit(user)}>
            <Pencil size={17} aria-hidden />
          </IconButton>
          <Link
            to={routes.adminLinks.path}
            search={{ by: 'user', value: user.id }}
            aria-label={`Links of ${nameOf(user)}`}
            title={`Links of ${nameOf(user)}`}
            className={iconButtonClass}
          >
            <Link2 size={17} aria-hidden />
          </Link>
          <IconButton label={`Delete ${nameOf(user)}`} onClick={() => onDelete(user)}>
            <Trash2 size={17} aria-hidden />
          </IconButton>
        </span>
      ),
    },
  ]
  return (
    <DataTable
      label="Users"
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      sorting={{ by: view.sort ?? 'created_at', descending: view.order !== 'asc', onSort }}
    />
  )
}

function nameOf({ email, id }: AdminUserRow): string {
  return email ?? id
}

function Words({ children }: { children: string | null }) {
  return <span className="wrap-anywhere">{children ?? '–'}</span>
}
