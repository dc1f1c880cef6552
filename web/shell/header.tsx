import { Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { useSession } from '#web/session/session.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { Mark } from '#web/ui/mark.tsx'
import { Menu } from './menu.tsx'
import { ThemeToggle } from './theme-toggle.tsx'

export function Header() {
  const session = useSession()
  return (
    <header className="sticky top-0 z-10 border-b border-line bg-paper/90 backdrop-blur-sm">
      <div className="mx-auto flex h-16 max-w-5xl items-center gap-1 px-4 sm:px-6">
        <Link
          to={routes.home.path}
          className="-ml-1 flex items-center gap-2.5 rounded-full px-1 text-lg font-semibold tracking-tight"
        >
          <Mark />
          Hoplet
        </Link>
        <div className="grow" />
        {session.status === 'signed-out' || session.status === 'halfway' ? (
          <Link to={routes.auth.path} className={`${buttonClass('quiet', 'small')} mr-1`}>
            Sign In
          </Link>
        ) : null}
        <ThemeToggle />
        <Menu />
      </div>
    </header>
  )
}
