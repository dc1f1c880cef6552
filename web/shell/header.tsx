import { Link, useRouterState } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { site } from '#web/site.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { Mark } from '#web/ui/mark.tsx'
import { columnClass } from '#web/ui/screen.tsx'
import { Menu } from './menu.tsx'
import { ThemeToggle } from './theme-toggle.tsx'

/** The header of people who are not signed in. */
export function Header() {
  const isSigningIn = useRouterState({
    select: ({ location }) => location.pathname.startsWith(routes.auth.path),
  })
  const quiet = `${buttonClass('quiet', 'small')} max-sm:hidden`
  return (
    <header className="sticky top-0 z-10 low:static border-b border-line bg-paper/90 backdrop-blur-sm">
      <div className={`${columnClass} flex h-16 items-center gap-1`}>
        <Logo />
        <div className="grow" />
        <a href={routes.demo.path} className={quiet}>
          Demo
        </a>
        {site.hasPlans ? (
          <Link to={routes.upgrade.path} className={quiet}>
            Pricing
          </Link>
        ) : null}
        <a href="/docs" className={quiet}>
          Docs
        </a>
        {isSigningIn ? null : (
          <>
            <Link to={routes.auth.path} className={buttonClass('quiet', 'small')}>
              Sign In
            </Link>
            {site.hasPasswords ? (
              <Link
                to={routes.auth.path}
                search={{ mode: 'sign-up' }}
                className={`${buttonClass('ink', 'small')} mr-1 max-[359px]:hidden`}
              >
                Sign Up
              </Link>
            ) : null}
          </>
        )}
        <ThemeToggle />
        <Menu />
      </div>
    </header>
  )
}

/**
 * The header of people who are signed in: the theme and the menu, at the right end of the title row; on phones a bar with
 * the logo.
 */
export function MemberHeader() {
  return (
    <header
      className={
        'z-10 max-rail:sticky max-rail:top-0 max-rail:low:static max-rail:border-b max-rail:border-line max-rail:bg-paper/90 max-rail:backdrop-blur-sm ' +
        'rail:absolute rail:inset-x-0 rail:top-0 rail:pointer-events-none'
      }
    >
      <div
        className={`${columnClass} flex items-center justify-between max-rail:h-14 rail:justify-end rail:pt-6`}
      >
        <div className="rail:hidden">
          <Logo />
        </div>
        <div className="pointer-events-auto flex gap-1">
          <ThemeToggle />
          <Menu isMember />
        </div>
      </div>
    </header>
  )
}

function Logo() {
  return (
    <Link
      to={routes.home.path}
      className="-ml-1 flex items-center gap-2.5 rounded-full px-1 text-base font-semibold tracking-tight"
    >
      <Mark />
      Hoplet
    </Link>
  )
}
