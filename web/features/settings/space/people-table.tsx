import { useQueryClient } from '@tanstack/react-query'
import { Ellipsis, UserMinus } from 'lucide-react'
import type { ReactNode } from 'react'
import { type SpaceRole, spaceRoles } from '#domain/access/space-roles.ts'
import { roleNames, spaceNotices } from '#domain/texts/space-texts.ts'
import { AccountMark } from '#web/spaces/account-mark.tsx'
import { useConfirmed } from '#web/ui/dialogs/use-confirmed.tsx'
import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import { MenuItem } from '#web/ui/menus/menu-item.tsx'
import { Popover } from '#web/ui/menus/popover.tsx'
import { momentOf, shortMoment } from '#web/ui/time-words.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { type Member, membersQuery, refusalWords, spaceCalls } from './space-queries.ts'

interface PeopleTableProps {
  userId: string
  personId: string
  people: readonly Member[]
  isOwner: boolean
  /** Rows below those of the people. */
  children: ReactNode
}

/** On phones each row is a block of lines. */
export const rowClass =
  'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-2 border-t border-line px-4 py-3 sm:grid-cols-[minmax(0,1fr)_9rem_8.5rem_2.75rem]'

/** A list that looks like a table. */
export function PeopleTable({ userId, personId, people, isOwner, children }: PeopleTableProps) {
  const remove = useRemove(userId)
  const change = useRoleChange(userId, personId)
  return (
    <>
      <div className="overflow-hidden rounded-2xl border border-line bg-surface">
        <div aria-hidden className="max-sm:hidden">
          <div className={`${rowClass} border-t-0! text-sm text-ink-soft`}>
            <span>Person</span>
            <span>Role</span>
            <span>{isOwner ? 'Last seen' : ''}</span>
          </div>
        </div>
        <ul aria-label="People">
          {people.map((person) => (
            <li key={person.person_id} className={rowClass}>
              <div className="flex min-w-0 items-center gap-3">
                <AccountMark
                  name={memberName(person)}
                  id={person.person_id === personId ? undefined : person.person_id}
                  className="size-8 text-sm"
                />
                <div className="min-w-0 leading-tight">
                  <p className="truncate font-medium">
                    <bdi>{memberName(person)}</bdi>
                    {person.person_id === personId ? (
                      <span className="ml-2 rounded-full bg-sunken px-2 py-0.5 text-xs font-normal text-ink-soft">
                        You
                      </span>
                    ) : null}
                  </p>
                  {person.email === null ? null : (
                    <p className="truncate text-sm text-ink-soft">{person.email}</p>
                  )}
                </div>
              </div>
              <div className="max-sm:col-start-1 max-sm:row-start-2 max-sm:pl-11">
                {isOwner ? (
                  <RoleSelect
                    label={`Role of ${memberName(person)}`}
                    role={person.role}
                    onChange={(role) => change.ask({ person, role })}
                  />
                ) : (
                  <span className="text-sm text-ink-soft">{roleNames[person.role]}</span>
                )}
              </div>
              <div className="text-sm text-ink-soft max-sm:col-start-2 max-sm:row-start-2 max-sm:justify-self-end">
                <LastSeen person={person} isMe={person.person_id === personId} isOwner={isOwner} />
              </div>
              <div className="justify-self-end max-sm:col-start-2 max-sm:row-start-1">
                {isOwner && person.person_id !== personId ? (
                  <Popover
                    label={`Actions for ${memberName(person)}`}
                    icon={<Ellipsis size={18} aria-hidden />}
                    className="w-56"
                  >
                    <MenuItem
                      Icon={UserMinus}
                      name="Remove from space"
                      onClick={() => remove.ask(person)}
                    />
                  </Popover>
                ) : null}
              </div>
            </li>
          ))}
          {children}
        </ul>
      </div>
      {remove.dialog}
      {change.dialog}
    </>
  )
}

export function memberName({ display_name: name, email }: Member): string {
  return name ?? email ?? 'A member'
}

function LastSeen({ person, isMe, isOwner }: { person: Member; isMe: boolean; isOwner: boolean }) {
  if (isMe) return <span>now</span>
  if (!isOwner) return null
  const { last_seen_at: at } = person
  if (at === null) return <span>never</span>
  return (
    <time dateTime={at} title={momentOf(at)}>
      {shortMoment(at)}
    </time>
  )
}

interface RoleSelectProps {
  label: string
  role: SpaceRole
  onChange: (role: SpaceRole) => void
}

function RoleSelect({ label, role, onChange }: RoleSelectProps) {
  return (
    <select
      aria-label={label}
      value={role}
      onChange={(event) => {
        const chosen = spaceRoles.find((name) => name === event.target.value)
        if (chosen !== undefined) onChange(chosen)
      }}
      className="h-9 rounded-xl border border-line bg-surface px-2.5 text-sm hover:border-edge pointer-coarse:h-11"
    >
      {spaceRoles.map((name) => (
        <option key={name} value={name}>
          {roleNames[name]}
        </option>
      ))}
    </select>
  )
}

function useRemove(userId: string) {
  return useConfirmed<Member>({
    title: 'Remove this person?',
    describe: (person) =>
      `${memberName(person)} loses access at once. Their keys and apps for this space stop working. Links stay.`,
    action: 'Remove',
    busyAction: 'Removing...',
    run: ({ person_id: id }) => spaceCalls.remove(id),
    done: () => spaceNotices.removed,
    failed: (error) => ({ ...spaceNotices.notRemoved, ...refusalWords(error) }),
    queryKey: ['account', userId, 'members'],
  })
}

interface RoleChange {
  person: Member
  role: SpaceRole
}

/** Changes roles at once; asks before owners give up their own. */
function useRoleChange(userId: string, personId: string) {
  const client = useQueryClient()
  const { queryKey } = membersQuery(userId)
  const run = ({ person, role }: RoleChange) => spaceCalls.setRole(person.person_id, role)
  const failed = (error: Error) => ({ ...spaceNotices.roleNotChanged, ...refusalWords(error) })
  const own = useConfirmed<RoleChange>({
    title: 'Give up your role?',
    describe: ({ role }) =>
      `You become ${role === 'editor' ? 'an editor' : 'a viewer'}. Only another owner can undo this.`,
    action: 'Change Role',
    busyAction: 'Please wait...',
    run,
    done: () => spaceNotices.roleChanged,
    failed,
    queryKey: ['account', userId],
  })
  const change = useSingleMutation({
    mutationFn: run,
    onMutate: ({ person, role }) => {
      client.setQueryData(queryKey, (people) =>
        people?.map((each) => (each.person_id === person.person_id ? { ...each, role } : each)),
      )
    },
    onSuccess: () => notifySuccess(spaceNotices.roleChanged),
    onError: (error) => notifyError(failed(error)),
    onSettled: () => client.invalidateQueries({ queryKey }),
  })
  return {
    dialog: own.dialog,
    ask: (wanted: RoleChange) => {
      const isOwn = wanted.person.person_id === personId && wanted.role !== 'owner'
      if (isOwn) own.ask(wanted)
      else change.mutate(wanted)
    },
  }
}
