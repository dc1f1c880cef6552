import { useQuery } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { Check, Plus } from 'lucide-react'
import { pathInSpace, routes } from '#domain/routes.ts'
import { roleNames, spaceNotices } from '#domain/texts/space-texts.ts'
import { profileQuery } from '#web/session/profile-query.ts'
import { spaceSlug } from '#web/space.ts'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { popoverItemClass } from '#web/ui/menus/popover.tsx'
import { AccountMark } from './account-mark.tsx'
import { spacesQuery } from './spaces-query.ts'

interface AccountMenuProps {
  personId: string
  ownName: string
  onCreate: () => void
}

/** The menu before the name of the person is known. */
export function PersonAccounts({
  email,
  ...menu
}: Omit<AccountMenuProps, 'ownName'> & { email: string }) {
  const name = useQuery(profileQuery(menu.personId)).data?.displayName ?? ''
  return <AccountMenu {...menu} ownName={name === '' ? email : name} />
}

/** Screens that every account has, also without any rows. */
const sharedScreens: readonly string[] = [
  routes.dashboard.path,
  routes.analytics.path,
  routes.bioLink.path,
  routes.myPopups.path,
]

/** The person's own account and their spaces; each is another page load. */
export function AccountMenu({ personId, ownName, onCreate }: AccountMenuProps) {
  const spaces = useQuery(spacesQuery(personId))
  const here = useRouterState({ select: ({ location }) => location.pathname })
  const screen = sharedScreens.includes(here) ? here : routes.dashboard.path
  return (
    <>
      <nav aria-label="Accounts">
        <ul>
          <Account href={screen} name={ownName} note="You" isCurrent={spaceSlug === undefined} />
          {spaces.data?.map(({ id, slug, name, role }) => (
            <Account
              key={id}
              id={id}
              href={pathInSpace(slug, screen)}
              name={name}
              note={roleNames[role]}
              isCurrent={spaceSlug === slug}
            />
          ))}
        </ul>
      </nav>
      {spaces.isError ? (
        <FailedLine retry={() => void spaces.refetch()} className="px-3 py-2">
          {spaceNotices.listFailed.title}
        </FailedLine>
      ) : null}
      <div className="mt-1.5 border-t border-line pt-1.5">
        <button type="button" className={popoverItemClass} onClick={onCreate}>
          <Plus size={17} aria-hidden />
          Create a space
        </button>
      </div>
    </>
  )
}

interface AccountProps {
  id?: string
  href: string
  name: string
  note: string
  isCurrent: boolean
}

function Account({ id, href, name, note, isCurrent }: AccountProps) {
  return (
    <li>
      <a
        href={href}
        aria-current={isCurrent ? 'true' : undefined}
        className="flex min-h-12 w-full items-center gap-2.5 rounded-xl px-2.5 py-1.5 text-sm transition-colors duration-150 hover:bg-sunken aria-[current=true]:bg-sunken"
      >
        <AccountMark name={name} id={id} isSpace={id !== undefined} />
        <span className="min-w-0 grow leading-tight">
          <bdi className="block truncate font-medium">{name}</bdi>
          <span className="block text-xs text-ink-soft">{note}</span>
        </span>
        {isCurrent ? <Check size={16} aria-hidden className="shrink-0" /> : null}
      </a>
    </li>
  )
}
