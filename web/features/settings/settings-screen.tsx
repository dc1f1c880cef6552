import { getRouteApi, Link } from '@tanstack/react-router'
import { routes, settingsTabs } from '#domain/routes.ts'
import { useSession } from '#web/session/session.ts'
import { Screen } from '#web/ui/screen.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { AccountTab } from './account-tab.tsx'
import { ApiKeysTab } from './api-keys/api-keys-tab.tsx'
import { AppsTab } from './apps-tab.tsx'
import { ProfileTab } from './profile-tab.tsx'
import { SecurityTab } from './security-tab.tsx'
import { settingsTabNames } from './settings-parts.ts'
import { SettingsSkeleton } from './settings-skeleton.tsx'
import { WebhooksTab } from './webhooks/webhooks-tab.tsx'

const route = getRouteApi(routes.settings.path)

const screens = {
  profile: ProfileTab,
  security: SecurityTab,
  apps: AppsTab,
  'api-keys': ApiKeysTab,
  webhooks: WebhooksTab,
  account: AccountTab,
}

/** One's own account. Each part has a separate address, so these are links and no tabs in the sense of ARIA. */
export function SettingsScreen() {
  const { tab = 'profile' } = route.useSearch()
  const session = useSession()
  useTitle(`${settingsTabNames[tab]} · Settings · Hoplet`)
  const Tab = screens[tab]
  return (
    <Screen title="Settings" narrow>
      <nav aria-label="Settings" className="mb-6 border-b border-line">
        <ul className="flex flex-wrap">
          {settingsTabs.map((name) => (
            <li key={name}>
              <Link
                to={routes.settings.path}
                search={{ tab: name }}
                aria-current={name === tab ? 'page' : undefined}
                className="-mb-px block border-b-2 border-transparent px-2 py-3 text-sm font-medium whitespace-nowrap max-sm:mr-4 max-sm:px-0 sm:px-3 sm:[li:first-child>&]:pl-0 text-ink-soft transition-colors duration-150 hover:text-ink aria-[current=page]:border-ink aria-[current=page]:text-ink"
              >
                {settingsTabNames[name]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {session.status === 'signed-in' ? (
        <Tab userId={session.userId} email={session.email} />
      ) : (
        <SettingsSkeleton tab={tab} />
      )}
    </Screen>
  )
}
