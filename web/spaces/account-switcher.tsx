import { useQuery } from '@tanstack/react-query'
import { ChevronsUpDown } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { membersCountQuery } from '#web/api/account-counts.ts'
import { useSpace } from '#web/session/space/account-store.ts'
import { profileQuery } from '#web/session/profile-query.ts'
import { Popover } from '#web/ui/menus/popover.tsx'
import { AccountMark } from './account-mark.tsx'

const loadMenu = () => import('./account-menu.tsx')
const AccountMenu = lazy(async () => ({ default: (await loadMenu()).AccountMenu }))
const CreateSpaceDialog = lazy(async () => ({
  default: (await import('./create-space-dialog.tsx')).CreateSpaceDialog,
}))

interface AccountSwitcherProps {
  userId: string
  personId: string
  email: string
}

/** The account that the page acts for, and the way to the person's other ones. */
export function AccountSwitcher({ userId, personId, email }: AccountSwitcherProps) {
  const creation = useCreateSpace()
  const space = useSpace()
  const profile = useQuery(profileQuery(personId)).data
  const people = useQuery({ ...membersCountQuery(userId), enabled: space !== undefined }).data
  const ownName = profile === undefined || profile.displayName === '' ? email : profile.displayName
  const name = space?.name ?? ownName
  return (
    <>
      <Popover
        className="w-66"
        buttonClass="flex min-h-13 w-full min-w-0 shrink-0 items-center gap-2.5 rounded-xl border border-line bg-surface px-2.5 py-1.5 text-left transition-colors duration-150 hover:border-edge max-lg:justify-center max-lg:px-0"
        icon={
          <>
            <AccountMark name={name} id={space?.id} isSpace={space !== undefined} />
            <span className="min-w-0 grow text-xs leading-tight max-lg:sr-only">
              <bdi className="block truncate text-sm font-medium">{name}</bdi>
              <span className="block truncate text-ink-faint">
                {space === undefined ? 'Your account' : spaceWords(people)}
              </span>
              <span className="sr-only">, switch accounts</span>
            </span>
            <ChevronsUpDown
              size={15}
              aria-hidden
              className="shrink-0 text-ink-soft max-lg:hidden"
            />
          </>
        }
      >
        <Suspense fallback={<div aria-hidden className="h-32" />}>
          <AccountMenu personId={personId} ownName={ownName} onCreate={creation.open} />
        </Suspense>
      </Popover>
      {creation.dialog}
    </>
  )
}

function spaceWords(people: number | undefined): string {
  if (people === undefined) return 'Space'
  return `Space · ${people} ${people === 1 ? 'person' : 'people'}`
}

/** The dialog that makes a space, loaded when it is first opened. */
export function useCreateSpace() {
  const [state, setState] = useState<'unused' | 'open' | 'closed'>('unused')
  return {
    open: () => setState('open'),
    dialog:
      state === 'unused' ? null : (
        <Suspense>
          <CreateSpaceDialog open={state === 'open'} onClose={() => setState('closed')} />
        </Suspense>
      ),
  }
}
