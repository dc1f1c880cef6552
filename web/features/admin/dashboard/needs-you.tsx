import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useNeeds } from './needs.ts'

/** Tasks that wait for an admin, before everything that can only be looked at. */
export function NeedsYou() {
  const { needs, isSettled, hasFailed } = useNeeds()
  return (
    <section aria-labelledby="needs-you" className="mb-8">
      <h2 id="needs-you" className="mb-2 text-sm font-medium text-ink-soft">
        Needs attention
      </h2>
      {!isSettled ? (
        <>
          <output className="sr-only">Looking for what needs you</output>
          <div aria-hidden className="h-24 animate-pulse rounded-2xl bg-sunken" />
        </>
      ) : needs.length === 0 ? (
        <p className="flex min-h-12 items-center text-ink-faint">
          {hasFailed ? 'Not all of it could be read. Reload the page.' : 'Nothing at the moment.'}
        </p>
      ) : (
        <ul className="divide-y divide-line border-y border-line">
          {needs.map(({ to, search, text }) => (
            <li key={text}>
              <Link
                to={to}
                search={search ?? {}}
                className="flex min-h-12 items-center justify-between gap-3 px-1 py-2 font-medium hover:bg-sunken"
              >
                {text}
                <ChevronRight size={17} aria-hidden className="shrink-0 text-ink-faint" />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
