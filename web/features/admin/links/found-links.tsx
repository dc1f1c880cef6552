import { useInfiniteQuery } from '@tanstack/react-query'
import { adminNotices } from '#domain/texts.ts'
import type { AdminLinkRow, LinkLookUp } from '#web/database-admin.ts'
import { Button } from '#web/ui/button.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { useUnblock } from './block-mutations.ts'
import type { BlockTarget } from './block-dialog.tsx'
import { blockTargets } from './block-targets.ts'
import { type Column, DataTable } from '../data-table.tsx'
import { hostNamed } from './host-named.ts'
import { foundLinksQuery } from './links-query.ts'
import { MoreButton } from '../more-button.tsx'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { Tag } from '../tag.tsx'
import { dayOf } from '#web/ui/time-words.ts'

interface FoundLinksProps {
  by: LinkLookUp
  value: string
  onBlock: (targets: readonly BlockTarget[]) => void
}

const blockedWords = { link: 'Blocked', host: 'Host blocked', user: 'User blocked' } as const
const kindOf = { code: 'link', host: 'host', user: 'user' } as const

export function FoundLinks({ by, value, onBlock }: FoundLinksProps) {
  const wanted = by === 'host' ? hostNamed(value) : value
  const query = useInfiniteQuery(foundLinksQuery(by, wanted))
  const links = query.data?.pages.flat()
  const kind = kindOf[by]
  const blockAll = () => onBlock([{ kind, value: wanted, name: wanted }])
  return (
    <section aria-labelledby="found" className="mt-10">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <h2 id="found" className="text-xl font-semibold tracking-tight wrap-anywhere">
            Found for “{value}”
          </h2>
          {wanted === value ? null : (
            <p className="mt-1 text-sm text-ink-soft wrap-anywhere">
              Looked up as the host <span className="font-mono">{wanted}</span>
            </p>
          )}
        </div>
        {kind === 'link' ? null : (
          <Button size="small" look="danger" onClick={blockAll}>
            Block This {kind === 'host' ? 'Host' : 'User'}
          </Button>
        )}
      </div>
      <QueryPanel
        query={{ ...query, data: links }}
        loading="Looking up links"
        failed={adminNotices.linksFailed}
      >
        {(rows) =>
          rows.length === 0 ? (
            <StatePanel
              title={`No links found for “${value}”`}
              action={kind === 'link' ? <Button onClick={blockAll}>Block This Name</Button> : null}
            >
              {kind === 'link' ? 'A bio page may have this name; it can be blocked too.' : null}
            </StatePanel>
          ) : (
            <LinksTable rows={rows} onBlock={onBlock} />
          )
        }
      </QueryPanel>
      <MoreButton query={query} />
    </section>
  )
}

function LinksTable({
  rows,
  onBlock,
}: {
  rows: AdminLinkRow[]
  onBlock: FoundLinksProps['onBlock']
}) {
  const unblock = useUnblock()
  // Addresses of strangers are shown, never linked.
  const columns: Column<AdminLinkRow>[] = [
    {
      head: 'Short link',
      cell: ({ short_code }) => <span className="font-mono wrap-anywhere">{short_code}</span>,
      className: 'md:w-36',
    },
    {
      head: 'Leads to',
      cell: ({ original_url }) => (
        <span className="line-clamp-3 wrap-anywhere">{original_url}</span>
      ),
    },
    {
      head: 'Owner',
      cell: ({ email }) => <span className="wrap-anywhere">{email ?? '–'}</span>,
      className: 'md:w-48',
    },
    {
      head: 'Created',
      cell: ({ created_at }) => dayOf(created_at),
      className: 'whitespace-nowrap',
    },
    { head: 'Clicks', isFigure: true, cell: ({ click_count }) => click_count },
    {
      head: 'State',
      cell: ({ blocked }) =>
        blocked === null ? (
          <Tag tone="good">Reachable</Tag>
        ) : (
          <Tag tone="danger">{blockedWords[blocked]}</Tag>
        ),
    },
    {
      head: 'Actions',
      cell: (link) =>
        link.blocked === 'link' ? (
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
        ),
    },
  ]
  return <DataTable label="Links found" columns={columns} rows={rows} rowKey={({ id }) => id} />
}
