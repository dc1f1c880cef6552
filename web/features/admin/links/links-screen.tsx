import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { routes } from '#domain/routes.ts'
import { AdminPage } from '../admin-page.tsx'
import { BlockDialog, type BlockTarget } from './block-dialog.tsx'
import { BlockList } from './block-list.tsx'
import { FoundLinks } from './found-links.tsx'
import { hostNamed } from './host-named.ts'
import { LatestLinks } from './latest-links.tsx'
import { foundLinksQuery, latestLinksQuery } from './links-query.ts'
import { LookUpForm } from './look-up-form.tsx'

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
      intro="Look up destinations. Block links, hosts and users. What is blocked answers with 410 Gone."
    >
      <LookUpForm
        key={`${by} ${value}`}
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
