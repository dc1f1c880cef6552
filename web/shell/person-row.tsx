import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { initialOf } from '#public-pages/avatar.tsx'
import { profileQuery } from '#web/session/profile-query.ts'

/** The signed-in person, and the way to their settings. */
export function PersonRow({ userId, email }: { userId: string; email: string }) {
  const name = useQuery(profileQuery(userId)).data?.displayName ?? ''
  const shown = name === '' ? email : name
  return (
    <Link
      to={routes.settings.path}
      title={email}
      className="flex min-h-11 items-center gap-2.5 rounded-xl px-2 py-1.5 transition-colors duration-150 hover:bg-sunken max-lg:mt-auto max-lg:justify-center max-lg:px-0"
    >
      <span
        aria-hidden
        className="grid size-7 shrink-0 place-items-center rounded-full bg-ink text-xs font-semibold text-paper"
      >
        {initialOf(shown)}
      </span>
      <span className="min-w-0 text-xs leading-tight max-lg:sr-only">
        <bdi className="block truncate font-medium">{shown}</bdi>
        {name === '' ? null : <span className="block truncate text-ink-faint">{email}</span>}
      </span>
    </Link>
  )
}
