import { useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { LifeBuoy, Plus, Search, ChevronsUpDown, Settings } from 'lucide-react'
import { routes } from '#domain/routes.ts'
import { linkCountQuery, popupCountQuery } from '#web/api/account-counts.ts'
import { leaveAdmin } from '#web/session/admin-exit.ts'
import { useRights } from '#web/session/space/rights.ts'
import { adminQuery } from '#web/session/role.ts'
import { Key } from '#web/ui/key.tsx'
import { Mark } from '#web/ui/mark.tsx'
import { modKey } from '#web/ui/hooks/use-shortcuts.ts'
import { initialOf } from '#public-pages/bio/avatar.tsx'
import { profileQuery } from '#web/session/profile-query.ts'
import { iconButtonClass } from '#web/ui/button.tsx'
import { Popover } from '#web/ui/menus/popover.tsx'
import { AccountSwitcher } from '#web/spaces/account-switcher.tsx'
import { site } from '#web/site.ts'
import { spaceSlug } from '#web/space.ts'
import { adminItem, adminItems, allowedItems, isAdminPath, mainItems } from './navigation.ts'
import type { NavigationItem } from './plan-items.ts'
import { PlanMeter } from './plan-meter.tsx'
import { SidebarTags } from './sidebar-tags.tsx'
import { MenuPanel } from './menu-panel.tsx'

interface SidebarProps {
  userId: string
  personId: string
  email: string
  onNewLink: () => void
  onFind: () => void
}

const rowClass =
  'flex h-9 w-full shrink-0 items-center gap-3 rounded-xl px-2.5 text-sm font-medium transition-colors duration-150 ' +
  'max-lg:justify-center max-lg:px-0 pointer-coarse:h-11'

/** The way to everything, at the left of every screen: names from 1024 px on, icons alone below, nothing on phones. */
export function Sidebar({ userId, personId, email, onNewLink, onFind }: SidebarProps) {
  const links = useQuery(linkCountQuery(userId)).data
  const popups = useQuery(popupCountQuery(userId)).data
  const isAdmin = useQuery(adminQuery(userId)).data === true
  const may = useRights()
  const isAdminScreen = useRouterState({ select: ({ location }) => isAdminPath(location.pathname) })
  // For admins My Links leads back to the admin screens, until they leave these (web/app/guards.ts).
  const leave = isAdmin ? () => leaveAdmin(userId) : undefined
  return (
    <aside className="sticky top-0 hidden h-dvh flex-col gap-2.5 scroll-pb-56 overflow-y-auto border-r border-line bg-paper p-3 pb-0 [scrollbar-width:thin] rail:flex">
      <Link
        to={routes.home.path}
        className="flex h-10 shrink-0 items-center gap-2.5 rounded-xl px-2 text-xl font-semibold tracking-tight max-lg:justify-center"
      >
        <Mark />
        <span className="max-lg:sr-only">Hoplet</span>
      </Link>
      <AccountSwitcher userId={userId} personId={personId} email={email} />
      {may('links:write') ? (
        <button
          type="button"
          onClick={onNewLink}
          title="New link"
          aria-keyshortcuts="n"
          className={`${rowClass} h-10! bg-accent text-accent-ink hover:bg-accent-strong`}
        >
          <Plus size={18} aria-hidden className="shrink-0" />
          <span className="grow text-left max-lg:sr-only">New link</span>
          <Key className="max-lg:hidden">N</Key>
        </button>
      ) : null}
      <button
        type="button"
        onClick={onFind}
        title="Find anything"
        aria-keyshortcuts="Control+k Meta+k"
        className={`${rowClass} h-10! border border-line bg-surface text-ink-soft hover:border-edge`}
      >
        <Search size={17} aria-hidden className="shrink-0" />
        <span className="grow text-left font-normal whitespace-nowrap max-lg:sr-only">
          Find anything
        </span>
        <Key className="max-lg:hidden">{modKey}K</Key>
      </button>
      <nav aria-label="Screens" className="mt-1.5 grid gap-4">
        <Items items={allowedItems(mainItems, may)} counts={{ links, popups }} onLeave={leave} />
        {isAdmin && isAdminScreen ? null : <SidebarTags userId={userId} />}
        {isAdmin ? (
          <Items title="Admin" items={isAdminScreen ? adminItems() : [adminItem]} />
        ) : null}
      </nav>
      {/* Stays in sight when tags and screens need more than the window. */}
      <div className="mt-auto grid grid-cols-[minmax(0,1fr)] gap-2.5 bg-paper pb-[calc(0.75rem+var(--safe-bottom))] [@media(min-height:600px)]:sticky [@media(min-height:600px)]:bottom-0">
        <Link
          to={routes.help.path}
          title="Help"
          className={`${rowClass} text-ink-soft hover:bg-sunken hover:text-ink aria-[current=page]:bg-sunken aria-[current=page]:text-ink`}
        >
          <LifeBuoy size={17} aria-hidden className="shrink-0" />
          <span className="grow max-lg:sr-only">Help</span>
          <Key className="max-lg:hidden">?</Key>
        </Link>
        <div className="hidden lg:block">
          {/* The admin screens need the room, and no plan. */}
          {!site.hasPlans || (isAdmin && isAdminScreen) ? null : <PlanMeter userId={userId} />}
        </div>
        <PersonRow personId={personId} email={email} />
      </div>
    </aside>
  )
}

interface ItemsProps {
  title?: string
  items: readonly NavigationItem[]
  counts?: { links: number | undefined; popups: number | undefined }
  onLeave?: (() => void) | undefined
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact' })

function Items({ title, items, counts, onLeave }: ItemsProps) {
  return (
    <div>
      {title === undefined ? null : (
        <h2 className="mb-1 px-2.5 text-xs text-ink-faint max-lg:sr-only">{title}</h2>
      )}
      <ul className="grid gap-0.5">
        {items.map(({ name, to, Icon, count }) => {
          const found = count === undefined ? undefined : counts?.[count]
          return (
            <li key={to}>
              <Link
                to={to}
                title={name}
                // Not preloaded where the click changes the result of the guard.
                {...(onLeave && { onClick: onLeave, preload: false })}
                activeOptions={{ exact: true, includeSearch: false }}
                className={`${rowClass} text-ink-soft hover:bg-sunken hover:text-ink aria-[current=page]:bg-sunken aria-[current=page]:text-ink`}
              >
                <Icon size={17} aria-hidden className="shrink-0" />
                <span className="grow max-lg:sr-only">{name}</span>
                {found === undefined || found === 0 ? null : (
                  <span className="text-xs font-normal text-ink-faint tabular-nums max-lg:sr-only">
                    {found < 10_000 ? found : compact.format(found)}
                  </span>
                )}
              </Link>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

const settingsName = spaceSlug === undefined ? 'Settings' : 'Space settings'

/** The signed-in person with the menu, and the way to the settings. */
function PersonRow({ personId, email }: { personId: string; email: string }) {
  const name = useQuery(profileQuery(personId)).data?.displayName ?? ''
  const shown = name === '' ? email : name
  return (
    <div className="flex shrink-0 items-center">
      <Popover
        above
        className="w-64"
        buttonClass="flex min-h-11 min-w-0 grow items-center gap-2.5 rounded-xl px-2 py-1.5 text-left transition-colors duration-150 hover:bg-sunken max-lg:justify-center max-lg:px-0"
        icon={
          <>
            <span
              aria-hidden
              data-initial={initialOf(shown)}
              className="grid size-7 shrink-0 place-items-center rounded-full bg-ink text-xs font-semibold text-paper before:content-[attr(data-initial)]"
            />
            <span className="min-w-0 grow text-xs leading-tight max-lg:sr-only">
              <bdi className="block truncate font-medium">{shown}</bdi>
              {name === '' ? null : <span className="block truncate text-ink-faint">{email}</span>}
              <span className="sr-only">, account</span>
            </span>
            <ChevronsUpDown
              size={15}
              aria-hidden
              className="shrink-0 text-ink-faint max-lg:hidden"
            />
          </>
        }
      >
        <MenuPanel />
      </Popover>
      <Link
        to={routes.settings.path}
        aria-label={settingsName}
        title={settingsName}
        activeOptions={{ exact: true, includeSearch: false }}
        className={`${iconButtonClass} -mr-1 max-lg:hidden aria-[current=page]:text-ink`}
      >
        <Settings size={17} aria-hidden />
      </Link>
    </div>
  )
}
