import { useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { ArrowLeft, LogOut, UserCog } from 'lucide-react'
import { routes } from '#domain/routes.ts'
import { planQuery } from '#web/plan/plan.ts'
import { leaveAdmin } from '#web/session/admin-exit.ts'
import { useRights } from '#web/session/space/rights.ts'
import { adminQuery } from '#web/session/role.ts'
import { useSession } from '#web/session/session.ts'
import { site } from '#web/site.ts'
import { spaceSlug } from '#web/space.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { popoverItemClass } from '#web/ui/menus/popover.tsx'
import {
  adminItem,
  adminItems,
  allowedItems,
  audienceItem,
  helpItems,
  isAdminPath,
  popupsItem,
} from './navigation.ts'
import { MenuEntry, menuItems } from './menu-entries.tsx'
import { planItems } from './plan-items.ts'
import { useSignOut } from './use-sign-out.ts'

/** The content of the menu. Each press on an entry closes the panel or the sheet around it. */
export function MenuPanel() {
  const session = useSession()
  const leave = useSignOut()
  const userId = session.status === 'signed-in' ? session.userId : null
  const isAdmin = useQuery({ ...adminQuery(userId ?? ''), enabled: userId !== null }).data === true
  const isAdminScreen = useRouterState({
    select: ({ location }) => isAdminPath(location.pathname),
  })
  const may = useRights()
  const inAdmin = isAdmin && isAdminScreen
  const plan = useQuery({
    ...planQuery(userId ?? ''),
    enabled: site.hasPlans && userId !== null,
  }).data

  return (
    <>
      <nav aria-label={inAdmin ? 'Admin' : 'Main'}>
        <ul>
          {(inAdmin
            ? adminItems()
            : allowedItems([...menuItems, ...planItems(), ...(isAdmin ? [adminItem] : [])], may)
          ).map((item) => (
            <MenuEntry key={item.name} {...item} />
          ))}
        </ul>
      </nav>
      {session.status === 'signed-in' ? (
        <div className="mt-1.5 grid gap-1.5 border-t border-line pt-3">
          <p className="truncate px-3 text-sm text-ink-faint">{session.email}</p>
          {inAdmin ? (
            // Not preloaded: before the click the guard would lead back here.
            <Link
              to={routes.dashboard.path}
              preload={false}
              className={popoverItemClass}
              onClick={() => leaveAdmin(session.userId)}
            >
              <ArrowLeft size={17} aria-hidden />
              Exit Admin
            </Link>
          ) : site.hasPlans && may('owner') ? (
            <Link
              to={routes.upgrade.path}
              className={`${buttonClass(plan === 'free' ? 'accent' : 'plain', 'small')} mx-1.5`}
            >
              Get Started
            </Link>
          ) : null}
          <MoreScreens />
          <button type="button" className={popoverItemClass} onClick={leave}>
            <LogOut size={17} aria-hidden />
            Sign Out
          </button>
        </div>
      ) : null}
    </>
  )
}

/** Screens beside those of the menu; the sidebar has those that are for phones only. */
function MoreScreens() {
  const may = useRights()
  return (
    <ul>
      {allowedItems([popupsItem, audienceItem], may).map((item) => (
        <MenuEntry key={item.name} {...item} className="rail:hidden" />
      ))}
      {helpItems.map((item) => (
        <MenuEntry key={item.name} {...item} />
      ))}
      {spaceSlug === undefined ? null : (
        <li>
          {/* Another page load: of the person, not of the space. */}
          <a href={routes.settings.path} className={popoverItemClass}>
            <UserCog size={17} aria-hidden />
            Your settings
          </a>
        </li>
      )}
    </ul>
  )
}
