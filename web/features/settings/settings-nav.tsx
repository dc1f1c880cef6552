import { Link } from '@tanstack/react-router'
import { routes, type SettingsTab, type SpaceSettingsTab } from '#domain/routes.ts'

type AnyTab = SettingsTab | SpaceSettingsTab

interface SettingsNavProps<Tab extends AnyTab> {
  label: string
  tabs: readonly Tab[]
  names: Readonly<Record<Tab, string>>
  tab: Tab
}

/** The parts of the settings. Each has a separate address, so these are links and no tabs in the sense of ARIA. */
export function SettingsNav<Tab extends AnyTab>({
  label,
  tabs,
  names,
  tab,
}: SettingsNavProps<Tab>) {
  return (
    <nav aria-label={label} className="mb-6 border-b border-line">
      <ul className="flex flex-wrap">
        {tabs.map((name) => (
          <li key={name}>
            <Link
              to={routes.settings.path}
              search={{ tab: name }}
              aria-current={name === tab ? 'page' : undefined}
              className="-mb-px block border-b-2 border-transparent px-2 py-3 text-sm font-medium whitespace-nowrap max-sm:mr-4 max-sm:px-0 sm:px-3 sm:[li:first-child>&]:pl-0 text-ink-soft transition-colors duration-150 hover:text-ink aria-[current=page]:border-ink aria-[current=page]:text-ink"
            >
              {names[name]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
