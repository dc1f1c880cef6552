import {
  Activity,
  ChartColumn,
  CircleArrowUp,
  Flag,
  Globe,
  HandCoins,
  House,
  Inbox,
  LayoutDashboard,
  LifeBuoy,
  Link2,
  Link2Off,
  type LucideIcon,
  ScrollText,
  Settings,
  Shield,
  SquareUser,
  Users,
  AppWindow,
} from 'lucide-react'
import { routes, routesOfPlans } from '#domain/routes.ts'
import { site } from '#web/site.ts'

type Screen =
  | 'home'
  | 'dashboard'
  | 'analytics'
  | 'bioLink'
  | 'myPopups'
  | 'popupGenerator'
  | 'audience'
  | 'upgrade'
  | 'affiliates'
  | 'settings'
  | 'help'
  | Extract<keyof typeof routes, `admin${string}`>

export interface NavigationItem {
  readonly name: string
  readonly to: (typeof routes)[Screen]['path']
  readonly Icon: LucideIcon
  /** Which of the account's counts stands beside it. */
  readonly count?: 'links' | 'popups'
}

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
}

/** Named as the menu and the screens name them. */
export const mainItems: readonly NavigationItem[] = [
  { name: 'Link Shortener', to: routes.home.path, Icon: House },
  { name: 'My Links', to: routes.dashboard.path, Icon: Link2, count: 'links' },
  { name: 'Analytics', to: routes.analytics.path, Icon: ChartColumn },
  { name: 'Bio Link', to: routes.bioLink.path, Icon: SquareUser },
  popupsItem,
  audienceItem,
]

/** In the menu, not in the sidebar; so are `helpItems`. None where accounts have no plans. */
export const planItems = (): readonly NavigationItem[] => (site.hasPlans ? itemsOfPlans : [])

const itemsOfPlans: readonly NavigationItem[] = [
  { name: 'Upgrade', to: routes.upgrade.path, Icon: CircleArrowUp },
  { name: 'Affiliates', to: routes.affiliates.path, Icon: HandCoins },
]

export const helpItems: readonly NavigationItem[] = [
  { name: 'Settings', to: routes.settings.path, Icon: Settings },
  { name: 'Help', to: routes.help.path, Icon: LifeBuoy },
]

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
