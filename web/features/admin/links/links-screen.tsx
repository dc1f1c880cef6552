import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { routes } from '#domain/routes.ts'
import { AdminPage } from '../admin-page.tsx'
import { BlockDialog, type BlockTarget } from './block-dialog.tsx'
import { BlockList } from './block-list.tsx'
import { FoundLinks } from './found-links.tsx'
import { LookUpForm } from './look-up-form.tsx'

const route = getRouteApi(routes.adminLinks.path)

export function LinksScreen() {
  const { by = 'code', value = '' } = route.useSearch()
  const navigate = useNavigate()
  const [blocking, setBlocking] = useState<readonly BlockTarget[]>()
  return (
    <AdminPage
      title="Links"
      intro="Look up where links lead, and take down a link, a host or everything of a user. What is blocked answers with 410 Gone."
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
      {value === '' ? null : (
        <FoundLinks key={`${by} ${value} found`} by={by} value={value} onBlock={setBlocking} />
      )}
      <BlockList />
      <BlockDialog targets={blocking} onClose={() => setBlocking(undefined)} />
    </AdminPage>
  )
}
