import type { AdminLinkRow, LatestLinkRow } from '#web/api/database-admin.ts'
import { LinkName } from '#web/link-name.tsx'
import { Button } from '#web/ui/button.tsx'
import { dayOf } from '#web/ui/time-words.ts'
import { type Column, DataTable } from '../data-table.tsx'
import { Tag } from '../tag.tsx'
import type { BlockTarget } from './block-dialog.tsx'
import { useUnblock } from './block-mutations.ts'

const blockedWords = { link: 'Blocked', host: 'Host blocked', user: 'User blocked' } as const

type ListedLink = AdminLinkRow & Partial<LatestLinkRow>

interface LinksTableProps {
  label: string
  rows: readonly ListedLink[]
  /** Shows the clicks among the last visits as well. */
  withRecentClicks?: boolean
  onBlock: (targets: readonly BlockTarget[]) => void
}

const aboutLink: readonly Column<ListedLink>[] = [
  {
    head: 'Short link',
    cell: ({ short_code, title }) => <LinkName code={short_code} title={title} isPlain />,
    className: 'lg:w-44',
    phone: 'title',
  },
  {
    head: 'Leads to',
    cell: ({ original_url }) => (
      <span title={original_url} className="wrap-anywhere lg:line-clamp-3">
        {original_url}
      </span>
    ),
    phone: 'line',
  },
  {
    head: 'Owner',
    cell: ({ email }) => (
      <span title={email ?? undefined} className="block truncate lg:max-w-48">
        {email ?? '–'}
      </span>
    ),
    className: 'lg:w-52',
    phone: 'detail',
  },
  {
    head: 'Created',
    cell: ({ created_at }) => dayOf(created_at),
    className: 'whitespace-nowrap',
  },
]

const state: Column<ListedLink> = {
  head: 'State',
  cell: ({ blocked }) =>
    blocked === null ? (
      <span className="max-lg:sr-only">
        <Tag tone="good">Reachable</Tag>
      </span>
    ) : (
      <Tag tone="danger">{blockedWords[blocked]}</Tag>
    ),
  phone: 'detail',
}

const clicks: Column<ListedLink> = {
  head: 'Clicks',
  isFigure: true,
  cell: ({ click_count }) => (
    <>
      {click_count.toLocaleString('en-US')}
      <span className="lg:hidden"> {click_count === 1 ? 'click' : 'clicks'}</span>
    </>
  ),
}

const recentClicks: Column<ListedLink> = {
  head: 'Recent',
  isFigure: true,
  cell: ({ recent_clicks }) => (
    <>
      {recent_clicks?.toLocaleString('en-US')}
      <span className="lg:hidden"> lately</span>
    </>
  ),
  phone: 'detail',
}

/** Links of any account. Addresses of strangers are shown, never linked. */
export function LinksTable({ label, rows, withRecentClicks = false, onBlock }: LinksTableProps) {
  const columns: Column<ListedLink>[] = [
    ...aboutLink,
    ...(withRecentClicks ? [recentClicks, clicks] : [{ ...clicks, phone: 'detail' as const }]),
    state,
    {
      head: 'Actions',
      cell: (link) => <BlockButton link={link} onBlock={onBlock} />,
      phone: 'actions',
    },
  ]
  return (
    <DataTable
      label={label}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      phoneActions="max-lg:pr-24"
    />
  )
}

interface BlockButtonProps extends Pick<LinksTableProps, 'onBlock'> {
  link: ListedLink
}

function BlockButton({ link, onBlock }: BlockButtonProps) {
  const unblock = useUnblock()
  return link.blocked === 'link' ? (
    <Button
      size="small"
      aria-label={`Unblock ${link.short_code}`}
      busy={unblock.isPending}
      onClick={() => unblock.mutate({ kind: 'link', value: link.short_code })}
    >
      Unblock
    </Button>
  ) : (
    <Button
      size="small"
      aria-label={`Block ${link.short_code}`}
      onClick={() => onBlock(blockTargets(link))}
    >
      Block
    </Button>
  )
}

/** Targets of a block of a link: the link, the host it leads to, its owner. */
function blockTargets(link: AdminLinkRow): BlockTarget[] {
  const host = URL.canParse(link.original_url) ? new URL(link.original_url).hostname : ''
  return [
    { kind: 'link', value: link.short_code, name: link.short_code },
    ...(host === '' ? [] : [{ kind: 'host' as const, value: host, name: host }]),
    { kind: 'user', value: link.user_id, name: link.email ?? link.user_id },
  ]
}
