import { Link } from '@tanstack/react-router'
import { Pencil, Trash2 } from 'lucide-react'
import { planOffers } from '#domain/plans.ts'
import { routes } from '#domain/routes.ts'
import { site } from '#web/site.ts'
import type { AdminUserRow, AdminUserSort } from '#web/api/database-admin.ts'
import { buttonClass, IconButton } from '#web/ui/button.tsx'
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

/** The plan in force. */
const planColumn = {
  head: 'Plan',
  sort: 'plan_type',
  cell: ({ plan_type }: AdminUserRow) => planOffers[plan_type].name,
  phone: 'detail',
} as const

export function UsersTable({ rows, view, onSort, onEdit, onDelete }: UsersTableProps) {
  const columns: Column<AdminUserRow, AdminUserSort>[] = [
    {
      head: 'Email',
      sort: 'email',
      cell: (user) => (
        <Words>{user.owners ? `Space of ${user.owners.join(', ')}` : user.email}</Words>
      ),
      phone: 'title',
    },
    {
      head: 'Display Name',
      sort: 'display_name',
      cell: ({ display_name }) => <Words>{display_name}</Words>,
      phone: 'detail',
    },
    {
      head: 'Role',
      sort: 'role',
      cell: ({ role }) => <Role>{role}</Role>,
      phone: 'detail',
    },
    ...(site.hasPlans ? [planColumn] : []),
    {
      head: 'Created',
      sort: 'created_at',
      cell: ({ created_at }) => <span className="whitespace-nowrap">{dayOf(created_at)}</span>,
    },
    {
      head: 'Actions',
      cell: (user) => (
        <span className="-ml-2.5 flex items-center max-lg:-mr-2.5">
          <IconButton label={`Edit ${nameOf(user)}`} onClick={() => onEdit(user)}>
            <Pencil size={17} aria-hidden />
          </IconButton>
          <Link
            to={routes.adminLinks.path}
            search={{ by: 'user', value: user.id }}
            aria-label={`Links of ${nameOf(user)}`}
            className={buttonClass('quiet', 'small')}
          >
            Links
          </Link>
          <IconButton label={`Delete ${nameOf(user)}`} onClick={() => onDelete(user)}>
            <Trash2 size={17} aria-hidden />
          </IconButton>
        </span>
      ),
      phone: 'actions',
    },
  ]
  return (
    <DataTable
      label="Users"
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      phoneActions="max-lg:pr-36"
      sorting={{ by: view.sort ?? 'created_at', descending: view.order !== 'asc', onSort }}
    />
  )
}

function nameOf({ email, owners, display_name: name, id }: AdminUserRow): string {
  return (owners ? name : email) ?? id
}

/** Most are users: a narrow row names only the others. */
function Role({ children }: { children: AdminUserRow['role'] }) {
  const isAdmin = children === 'admin'
  return (
    <span
      className={
        isAdmin
          ? 'max-lg:*:border-0 max-lg:*:bg-transparent max-lg:*:p-0 max-lg:*:text-xs'
          : 'max-lg:sr-only'
      }
    >
      <Tag tone={isAdmin ? 'accent' : 'plain'}>{children}</Tag>
    </span>
  )
}

function Words({ children }: { children: string | null }) {
  return (
    <span title={children ?? undefined} className="block truncate lg:max-w-60">
      {children ?? '–'}
    </span>
  )
}
