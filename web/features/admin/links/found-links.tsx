import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { adminNotices } from '#domain/texts/admin-texts.ts'
import type { AdminLinkRow, LinkLookUp } from '#web/api/database-admin.ts'
import { Button } from '#web/ui/button.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import type { BlockTarget } from './block-dialog.tsx'
import { LinksTable } from './links-table.tsx'
import { RowsSkeleton } from '../rows-skeleton.tsx'
import { QueryList } from '#web/ui/query-list.tsx'

interface FoundLinksProps {
  by: LinkLookUp
  value: string
  /** The value as links hold it. */
  wanted: string
  query: UseInfiniteQueryResult<InfiniteData<AdminLinkRow[]>>
  onBlock: (targets: readonly BlockTarget[]) => void
}

const kindOf = { code: 'link', host: 'host', user: 'user' } as const

export function FoundLinks({ by, value, wanted, query, onBlock }: FoundLinksProps) {
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
      <QueryList
        query={query}
        rows={query.data?.pages.flat()}
        loading="Looking up links"
        skeleton={<RowsSkeleton />}
        failed={adminNotices.linksFailed}
        empty={
          <StatePanel
            title={`No links found for “${value}”`}
            action={kind === 'link' ? <Button onClick={blockAll}>Block This Name</Button> : null}
          >
            {kind === 'link' ? 'A bio page may have this name; it can be blocked too.' : null}
          </StatePanel>
        }
        more={{ label: 'Load More' }}
      >
        {(rows) => <LinksTable label="Links found" rows={rows} onBlock={onBlock} />}
      </QueryList>
    </section>
  )
}
