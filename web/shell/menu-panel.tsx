import { useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import {
  ArrowLeft,
  LayoutDashboard,
  Link2,
  List,
  LogOut,
  SquareUser,
  WandSparkles,
} from 'lucide-react'
import { routes } from '#domain/routes.ts'
import { planQuery } from '#web/plan/plan.ts'
import { leaveAdmin } from '#web/session/admin-exit.ts'
import { adminQuery } from '#web/session/role.ts'
import { useSession } from '#web/session/session.ts'
import { site } from '#web/site.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { popoverItemClass } from '#web/ui/menus/popover.tsx'
import {
  adminItem,
  adminItems,
  audienceItem,
  helpItems,
  isAdminPath,
  type NavigationItem,
  planItems,
  popupsItem,
} from './navigation.ts'
import { useSignOut } from './use-sign-out.ts'

const items: readonly NavigationItem[] = [
  { name: 'Dashboard', to: routes.dashboard.path, Icon: LayoutDashboard },
  { name: 'Link Shortener', to: routes.home.path, Icon: Link2 },
  { name: 'Bio Link', to: routes.bioLink.path, Icon: SquareUser },
  { name: 'My Links', to: routes.dashboard.path, Icon: List },
  { name: 'Popup Generator', to: routes.popupGenerator.path, Icon: WandSparkles },
]

/** The content of the menu. Each press on an entry closes the panel or the sheet around it. */
export function MenuPanel() {
  const session = useSession()
  const leave = useSignOut()
  const userId = session.status === 'signed-in' ? session.userId : null
  const isAdmin = useQuery({ ...adminQuery(userId ?? ''), enabled: userId !== null }).data === true
  const isAdminScreen = useRouterState({
    select: ({ location }) => isAdminPath(location.pathname),
  })
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
            : [...items, ...planItems(), ...(isAdmin ? [adminItem] : [])]
          ).map((item) => (
            <Entry key={item.name} {...item} />
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
          ) : site.hasPlans ? (
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
  return (
    <ul>
      {[popupsItem, audienceItem].map((item) => (
        <Entry key={item.name} {...item} className="rail:hidden" />
      ))}
      {helpItems.map((item) => (
        <Entry key={item.name} {...item} />
      ))}
    </ul>
  )
}

function Entry({ name, to, Icon, className }: NavigationItem & { className?: string }) {
  return (
    <li className={className}>
      <Link
        to={to}
        className={popoverItemClass}
        activeOptions={{ exact: true, includeSearch: false }}
      >
        <Icon size={17} aria-hidden />
        {name}
      </Link>
    </li>
  )
}
