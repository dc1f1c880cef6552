import { CircleArrowUp, HandCoins, type LucideIcon } from 'lucide-react'
import { routes } from '#domain/routes.ts'
import type { Right } from '#web/session/space/rights.ts'
import { site } from '#web/site.ts'
import { spaceSlug } from '#web/space.ts'

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
  /** Right that the screen needs. */
  readonly right?: Right
}

/** In the menu, not in the sidebar; so are `helpItems`. None where accounts have no plans. */
export const planItems = (): readonly NavigationItem[] => (site.hasPlans ? itemsOfPlans : [])

const itemsOfPlans: readonly NavigationItem[] = [
  { name: 'Upgrade', to: routes.upgrade.path, Icon: CircleArrowUp, right: 'owner' },
  // Commissions are the person's.
  ...(spaceSlug === undefined
    ? [{ name: 'Affiliates', to: routes.affiliates.path, Icon: HandCoins }]
    : []),
]
