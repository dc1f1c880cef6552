import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { routes, settingsTabs, type SettingsTab } from '#domain/routes.ts'
import { useSession } from '#web/session/session.ts'
import { Loading } from '#web/ui/mark.tsx'
import { useTitle } from '#web/ui/use-title.ts'
import { AccountTab } from './account-tab.tsx'
import { AppsTab } from './apps-tab.tsx'
import { ProfileTab } from './profile-tab.tsx'
import { SecurityTab } from './security-tab.tsx'

const route = getRouteApi(routes.settings.path)

const names: Record<SettingsTab, string> = {
  profile: 'Profile',
  security: 'Security',
  apps: 'Connected Apps',
  account: 'Your Data',
}

const screens = { profile: ProfileTab, security: SecurityTab, apps: AppsTab, account: AccountTab }

/** One's own account. Each part has an address of its own, so these are links and no tabs in the sense of ARIA. */
export function SettingsScreen() {
  const { tab = 'profile' } = route.useSearch()
  const session = useSession()
  useTitle(`${names[tab]} · Settings · Hoplet`)
  const Tab = screens[tab]
  const nav = useRef<HTMLElement>(null)
  // On a phone the list of parts is wider than the screen.
  useEffect(() => {
    const current = nav.current?.querySelector('[aria-current=page]')
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [tab])

  return (
    <div className="mx-auto w-full max-w-3xl px-4 py-10 sm:px-6 sm:py-14">
      <h1 className="text-3xl font-semibold tracking-[-0.03em] sm:text-4xl">Settings</h1>
      <nav
        ref={nav}
        aria-label="Settings"
        className="-mx-4 mt-6 mb-8 overflow-x-auto [scrollbar-width:none] border-b border-line px-4 sm:mx-0 sm:px-0"
      >
        <ul className="flex gap-1">
          {settingsTabs.map((name) => (
            <li key={name}>
              <Link
                to={routes.settings.path}
                search={{ tab: name }}
                aria-current={name === tab ? 'page' : undefined}
                className="-mb-px block border-b-2 border-transparent px-2.5 py-3 text-[15px] sm:px-3 font-medium whitespace-nowrap text-ink-soft transition-colors duration-150 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
              >
                {names[name]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {session.status === 'signed-in' ? (
        <Tab userId={session.userId} email={session.email} />
      ) : (
        <Loading label="Loading" />
      )}
    </div>
  )
}
