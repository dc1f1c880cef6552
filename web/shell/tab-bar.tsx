import { Link } from '@tanstack/react-router'
import {
  ChartColumn,
  CircleUser,
  House,
  Link2,
  type LucideIcon,
  Plus,
  SquareUser,
} from 'lucide-react'
import { routes } from '#domain/routes.ts'
import { useRights } from '#web/session/space/rights.ts'

interface TabBarProps {
  onNewLink: () => void
  onYou: () => void
}

const tabClass =
  'grid h-14 w-full place-items-center content-center gap-0.5 text-xs leading-4 font-medium text-ink-soft aria-[current=page]:text-ink'

/** On phones: the screens of every day, with a + in the middle. */
export function TabBar({ onNewLink, onYou }: TabBarProps) {
  const may = useRights()
  return (
    <nav
      aria-label="Screens"
      className="fixed inset-x-0 bottom-0 z-10 border-t border-line bg-paper pr-(--safe-right) pb-(--safe-bottom) pl-(--safe-left) rail:hidden"
    >
      <ul className={`grid ${may('links:write') ? 'grid-cols-5' : 'grid-cols-4'}`}>
        {may('links:write') ? (
          <Tab name="Shortener" to={routes.home.path} Icon={House} />
        ) : (
          <Tab name="Bio Link" to={routes.bioLink.path} Icon={SquareUser} />
        )}
        <Tab name="My Links" to={routes.dashboard.path} Icon={Link2} />
        <li hidden={!may('links:write')}>
          <button
            type="button"
            aria-label="New link"
            onClick={onNewLink}
            className="mx-auto mt-1.5 grid size-11 place-items-center rounded-xl bg-accent text-accent-ink"
          >
            <Plus size={22} aria-hidden />
          </button>
        </li>
        <Tab name="Analytics" to={routes.analytics.path} Icon={ChartColumn} />
        <li>
          <button type="button" onClick={onYou} className={tabClass}>
            <CircleUser size={20} aria-hidden />
            You
          </button>
        </li>
      </ul>
    </nav>
  )
}

interface TabProps {
  name: string
  to: (typeof routes)['home' | 'dashboard' | 'analytics' | 'bioLink']['path']
  Icon: LucideIcon
}

function Tab({ name, to, Icon }: TabProps) {
  return (
    <li>
      <Link to={to} activeOptions={{ exact: true, includeSearch: false }} className={tabClass}>
        <Icon size={20} aria-hidden />
        {name}
      </Link>
    </li>
  )
}
