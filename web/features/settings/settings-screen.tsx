import { getRouteApi } from '@tanstack/react-router'
import { routes, settingsTabs } from '#domain/routes.ts'
import { useSession } from '#web/session/session.ts'
import { Screen } from '#web/ui/screen.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { AccountTab } from './account-tab.tsx'
import { ApiKeysTab } from './api-keys/api-keys-tab.tsx'
import { AppsTab } from './apps-tab.tsx'
import { LazyDomainsTab } from './domains/lazy-domains-tab.tsx'
import { ProfileTab } from './profile-tab.tsx'
import { SecurityTab } from './security-tab.tsx'
import { SettingsNav } from './settings-nav.tsx'
import { settingsTabNames } from './settings-parts.ts'
import { SettingsSkeleton } from './settings-skeleton.tsx'
import { WebhooksTab } from './webhooks/webhooks-tab.tsx'

const route = getRouteApi(routes.settings.path)

const screens = {
  profile: ProfileTab,
  security: SecurityTab,
  domains: LazyDomainsTab,
  apps: AppsTab,
  'api-keys': ApiKeysTab,
  webhooks: WebhooksTab,
  account: AccountTab,
}

/** One's own account. */
export function SettingsScreen() {
  const { tab: asked } = route.useSearch()
  const tab = settingsTabs.find((name) => name === asked) ?? 'profile'
  const session = useSession()
  useTitle(`${settingsTabNames[tab]} · Settings · Hoplet`)
  const Tab = screens[tab]
  return (
    <Screen title="Settings" narrow={tab !== 'domains'}>
      <SettingsNav label="Settings" tabs={settingsTabs} names={settingsTabNames} tab={tab} />
      {session.status === 'signed-in' ? (
        <Tab userId={session.userId} email={session.email} />
      ) : (
        <SettingsSkeleton tab={tab} />
      )}
    </Screen>
  )
}
