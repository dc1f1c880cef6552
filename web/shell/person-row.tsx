import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronsUpDown, Settings } from 'lucide-react'
import { routes } from '#domain/routes.ts'
import { initialOf } from '#public-pages/avatar.tsx'
import { profileQuery } from '#web/session/profile-query.ts'
import { iconButtonClass } from '#web/ui/button.tsx'
import { Popover } from '#web/ui/popover.tsx'
import { MenuPanel } from './menu-panel.tsx'

/** The signed-in person with the menu, and the way to the settings. */
export function PersonRow({ userId, email }: { userId: string; email: string }) {
  const name = useQuery(profileQuery(userId)).data?.displayName ?? ''
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
        aria-label="Settings"
        title="Settings"
        activeOptions={{ exact: true, includeSearch: false }}
        className={`${iconButtonClass} -mr-1 max-lg:hidden aria-[current=page]:text-ink`}
      >
        <Settings size={17} aria-hidden />
      </Link>
    </div>
  )
}
