import { Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { site } from '#web/site.ts'
import { columnClass } from '#web/ui/screen.tsx'

/** The end of Home, and of the screens of visitors, who find the ways on here that a narrow header has no room for. */
export function Footer({ isMember }: { isMember: boolean }) {
  const link =
    'flex min-h-10 items-center underline-offset-4 hover:text-ink hover:underline pointer-coarse:min-h-11'
  return (
    <footer className={`border-t border-line ${isMember ? 'max-rail:pb-16' : ''}`}>
      <div
        className={`${columnClass} flex flex-wrap items-center justify-between gap-x-8 gap-y-3 py-6 text-sm text-ink-faint`}
      >
        <p className="py-2">
          Hoplet, the link platform that you run yourself. Open source, made with care.
        </p>
        {isMember ? null : (
          <nav aria-label="Footer">
            <ul className="flex flex-wrap gap-x-6 text-ink-soft">
              <li>
                <a href={routes.demo.path} className={link}>
                  Demo
                </a>
              </li>
              {site.hasPlans ? (
                <li>
                  <Link to={routes.upgrade.path} className={link}>
                    Pricing
                  </Link>
                </li>
              ) : null}
              <li>
                <a href="/docs" className={link}>
                  Docs
                </a>
              </li>
              <li>
                <Link to={routes.auth.path} className={link}>
                  Sign In
                </Link>
              </li>
              {site.hasPasswords ? (
                <li>
                  <Link to={routes.auth.path} search={{ mode: 'sign-up' }} className={link}>
                    Sign Up
                  </Link>
                </li>
              ) : null}
            </ul>
          </nav>
        )}
      </div>
    </footer>
  )
}
