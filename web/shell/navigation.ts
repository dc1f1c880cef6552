import {
  Activity,
  ChartColumn,
  Flag,
  Globe,
  HandCoins,
  House,
  Inbox,
  LayoutDashboard,
  LifeBuoy,
  Link2,
  Link2Off,
  ScrollText,
  Settings,
  Shield,
  SquareUser,
  Users,
  AppWindow,
} from 'lucide-react'
import { routes, routesOfPlans } from '#domain/routes.ts'
import type { Right } from '#web/session/space/rights.ts'
import { site } from '#web/site.ts'
import { spaceSlug } from '#web/space.ts'
import type { NavigationItem } from './plan-items.ts'

export const popupsItem: NavigationItem = {
  name: 'My Popups',
  to: routes.myPopups.path,
  Icon: AppWindow,
  count: 'popups',
}

export const audienceItem: NavigationItem = {
  name: 'Audience',
  to: routes.audience.path,
  Icon: Inbox,
  right: 'leads:read',
}

/** Named as the menu and the screens name them. */
export const mainItems: readonly NavigationItem[] = [
  { name: 'Link Shortener', to: routes.home.path, Icon: House, right: 'links:write' },
  { name: 'My Links', to: routes.dashboard.path, Icon: Link2, count: 'links' },
  { name: 'Analytics', to: routes.analytics.path, Icon: ChartColumn },
  { name: 'Bio Link', to: routes.bioLink.path, Icon: SquareUser },
  popupsItem,
  audienceItem,
]

export const helpItems: readonly NavigationItem[] = [
  {
    name: spaceSlug === undefined ? 'Settings' : 'Space settings',
    to: routes.settings.path,
    Icon: Settings,
  },
  { name: 'Help', to: routes.help.path, Icon: LifeBuoy },
]

/** Those that the person may open. */
export function allowedItems(
  items: readonly NavigationItem[],
  may: (right: Right) => boolean,
): readonly NavigationItem[] {
  return items.filter(({ right }) => right === undefined || may(right))
}

export const adminItem = {
  name: 'Admin',
  to: routes.admin.path,
  Icon: Shield,
} as const satisfies NavigationItem

/** The admin screens, as the menu and the sidebar name them. */
export const adminItems = (): readonly NavigationItem[] =>
  allAdminItems.filter(({ to }) => site.hasPlans || !routesOfPlans.includes(to))

const allAdminItems: readonly NavigationItem[] = [
  { name: 'Dashboard', to: routes.admin.path, Icon: LayoutDashboard },
  { name: 'User Management', to: routes.adminUsers.path, Icon: Users },
  { name: 'System Status', to: routes.adminSystem.path, Icon: Activity },
  { name: 'All Links', to: routes.adminLinks.path, Icon: Globe },
  { name: 'Missing Codes', to: routes.adminMissedCodes.path, Icon: Link2Off },
  { name: 'Reports', to: routes.adminReports.path, Icon: Flag },
  { name: 'Payouts', to: routes.adminPayouts.path, Icon: HandCoins },
  { name: 'Audit Log', to: routes.adminAudit.path, Icon: ScrollText },
]

export function isAdminPath(pathname: string): boolean {
  return /^\/admin(\/|$)/.test(pathname)
}
