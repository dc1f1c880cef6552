import { useInfiniteQuery, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { routes } from '#domain/routes.ts'
import { adminNotices } from '#domain/texts/admin-texts.ts'
import type { AdminResults } from '#web/api/database-admin.ts'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { AdminPage } from '../admin-page.tsx'
import { RowsSkeleton } from '../rows-skeleton.tsx'
import { TitledSection } from '../titled-section.tsx'
import { BlockDialog, type BlockTarget } from './block-dialog.tsx'
import { BlockList } from './block-list.tsx'
import { FoundLinks } from './found-links.tsx'
import { hostNamed } from './host-named.ts'
import { foundLinksQuery, latestLinksQuery } from './links-query.ts'
import { LookUpForm } from './look-up-form.tsx'
import { LinksTable } from './links-table.tsx'

const route = getRouteApi(routes.adminLinks.path)

export function LinksScreen() {
  const { by = 'code', value = '' } = route.useSearch()
  const navigate = useNavigate()
  const [blocking, setBlocking] = useState<readonly BlockTarget[]>()
  const isLookUp = value !== ''
  const wanted = by === 'host' ? hostNamed(value) : value
  const found = useInfiniteQuery({ ...foundLinksQuery(by, wanted), enabled: isLookUp })
  const latest = useQuery({ ...latestLinksQuery, enabled: !isLookUp })
  // The blocks wait for the part above them, which would push them.
  const areBlocksShown = isLookUp ? !found.isPending : !latest.isPending
  return (
    <AdminPage
      title="All Links"
      intro="Look up destinations. Block links, hosts and users. Blocked addresses answer 410 Gone."
    >
      <LookUpForm
        by={by}
        value={value}
        onLookUp={(nextBy, next) =>
          void navigate({
            to: routes.adminLinks.path,
            search: { by: nextBy, value: next },
            resetScroll: false,
          })
        }
      />
      {isLookUp ? (
        <FoundLinks {...{ by, value, wanted }} query={found} onBlock={setBlocking} />
      ) : (
        <LatestLinks query={latest} onBlock={setBlocking} />
      )}
      {areBlocksShown ? <BlockList /> : null}
      <BlockDialog targets={blocking} onClose={() => setBlocking(undefined)} />
    </AdminPage>
  )
}

interface LatestLinksProps {
  query: UseQueryResult<AdminResults['admin_latest_links']>
  onBlock: (targets: readonly BlockTarget[]) => void
}

/** Links worth a look before a search. */
function LatestLinks({ query, onBlock }: LatestLinksProps) {
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
