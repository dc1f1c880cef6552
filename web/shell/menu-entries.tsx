import { Link } from '@tanstack/react-router'
import { LayoutDashboard, Link2, List, SquareUser, WandSparkles } from 'lucide-react'
import { routes } from '#domain/routes.ts'
import { popoverItemClass } from '#web/ui/menus/popover.tsx'
import type { NavigationItem } from './plan-items.ts'

/** The screens of the menu. */
export const menuItems: readonly NavigationItem[] = [
  { name: 'Dashboard', to: routes.dashboard.path, Icon: LayoutDashboard },
  { name: 'Link Shortener', to: routes.home.path, Icon: Link2, right: 'links:write' },
  { name: 'Bio Link', to: routes.bioLink.path, Icon: SquareUser },
  { name: 'My Links', to: routes.dashboard.path, Icon: List },
  {
    name: 'Popup Generator',
    to: routes.popupGenerator.path,
    Icon: WandSparkles,
    right: 'popups:write',
  },
]

/** A screen in the menu. */
export function MenuEntry({ name, to, Icon, className }: NavigationItem & { className?: string }) {
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
