import { getRouteApi } from '@tanstack/react-router'
import { routes, spaceSettingsTabs, type SpaceSettingsTab } from '#domain/routes.ts'
import { useSpace } from '#web/session/space/account-store.ts'
import { useKeptRight } from '#web/session/space/rights.ts'
import { useSession } from '#web/session/session.ts'
import { site } from '#web/site.ts'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { Screen } from '#web/ui/screen.tsx'
import { ApiKeysTab } from '../api-keys/api-keys-tab.tsx'
import { LazyDomainsTab } from '../domains/lazy-domains-tab.tsx'
import { SettingsNav } from '../settings-nav.tsx'
import { spaceTabNames } from '../settings-parts.ts'
import { SettingsSkeleton } from '../settings-skeleton.tsx'
import { WebhooksTab } from '../webhooks/webhooks-tab.tsx'
import { PeopleTab } from './people-tab.tsx'
import { PlanTab } from './plan-tab.tsx'
import { SpaceProfileTab } from './space-profile-tab.tsx'

const route = getRouteApi(routes.settings.path)

const screens = {
  profile: SpaceProfileTab,
  people: PeopleTab,
  domains: LazyDomainsTab,
  'api-keys': ApiKeysTab,
  webhooks: WebhooksTab,
  plan: PlanTab,
}

const everybodys: readonly SpaceSettingsTab[] = ['profile', 'people', 'domains']

/** The space of this page. Most of it is for its owners. */
export function SpaceSettingsScreen() {
  const { tab: asked } = route.useSearch()
  const session = useSession()
  const space = useSpace()
  const isOwner = useKeptRight('owner')
  const tabs = spaceSettingsTabs
    .filter((name) => isOwner || everybodys.includes(name))
    .filter((name) => site.hasPlans || name !== 'plan')
  const tab = tabs.find((name) => name === asked) ?? 'profile'
  useTitle(`${spaceTabNames[tab]} · Space settings · Hoplet`)
  const Tab = screens[tab]
  return (
    <Screen title="Space settings" narrow={tab !== 'people' && tab !== 'domains'}>
      <SettingsNav label="Space settings" tabs={tabs} names={spaceTabNames} tab={tab} />
      {session.status === 'signed-in' && space !== undefined ? (
        <Tab
          userId={session.userId}
          personId={session.personId}
          email={session.email}
          space={space}
        />
      ) : (
        <SettingsSkeleton tab="webhooks" />
      )}
    </Screen>
  )
}
