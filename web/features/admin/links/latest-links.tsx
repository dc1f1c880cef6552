import type { UseQueryResult } from '@tanstack/react-query'
import { adminNotices } from '#domain/texts.ts'
import type { AdminResults } from '#web/database-admin.ts'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { RowsSkeleton } from '../rows-skeleton.tsx'
import { TitledSection } from '../titled-section.tsx'
import type { BlockTarget } from './block-dialog.tsx'
import { LinksTable } from './links-table.tsx'

interface LatestLinksProps {
  query: UseQueryResult<AdminResults['admin_latest_links']>
  onBlock: (targets: readonly BlockTarget[]) => void
}

/** Links worth a look before a search. */
export function LatestLinks({ query, onBlock }: LatestLinksProps) {
  return (
    <div className="mt-10">
      <QueryPanel
        query={query}
        loading="Loading the latest links"
        skeleton={<RowsSkeleton rows={12} />}
        failed={adminNotices.linksFailed}
      >
        {({ busiest, newest }) => (
          <div className="grid gap-12">
            <TitledSection
              title="Most clicked"
              intro="Among the last 10,000 visits to this server."
            >
              {busiest.length === 0 ? (
                <p className="text-ink-soft">No link was clicked yet.</p>
              ) : (
                <LinksTable
                  label="Most clicked"
                  rows={busiest}
                  withRecentClicks
                  onBlock={onBlock}
                />
              )}
            </TitledSection>
            <TitledSection title="Newest">
              {newest.length === 0 ? (
                <p className="text-ink-soft">There are no links yet.</p>
              ) : (
                <LinksTable label="Newest" rows={newest} onBlock={onBlock} />
              )}
            </TitledSection>
          </div>
        )}
      </QueryPanel>
    </div>
  )
}
