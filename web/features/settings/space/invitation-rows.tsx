import { useQueryClient } from '@tanstack/react-query'
import { Mail, RefreshCw, X } from 'lucide-react'
import { useState } from 'react'
import type { SpaceRole } from '#domain/access/space-roles.ts'
import { roleNames, spaceNotices, spaceTexts } from '#domain/texts/space-texts.ts'
import { Button, IconButton } from '#web/ui/button.tsx'
import { useConfirmed } from '#web/ui/dialogs/use-confirmed.tsx'
import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import { shortDayOf } from '#web/ui/time-words.ts'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { SecretDialog } from '../secret-dialog.tsx'
import { memberName, rowClass } from './people-table.tsx'
import { type Invitation, type Member, refusalWords, spaceCalls } from './space-queries.ts'

interface InvitationRowsProps {
  people: readonly Member[]
  invitations: readonly Invitation[]
}

/** A new link for an invitation, and a way to withdraw it. */
export function useInvitationActions(userId: string) {
  const client = useQueryClient()
  const queryKey = ['account', userId, 'members']
  const [link, setLink] = useState<string>()
  const renew = useSingleMutation({
    mutationFn: (id: string) => spaceCalls.renew(id),
    // The row has another id now.
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey })
      setLink(made)
    },
    onError: (error) => notifyError({ ...spaceNotices.notInvited, ...refusalWords(error) }),
  })
  const withdraw = useConfirmed<Invitation>({
    title: 'Withdraw this invitation?',
    describe: () => 'Its link stops working.',
    action: 'Withdraw',
    busyAction: 'Please wait...',
    run: ({ id }) => spaceCalls.withdraw(id),
    done: () => spaceNotices.withdrawn,
    failed: (error) => ({ ...spaceNotices.notWithdrawn, ...refusalWords(error) }),
    queryKey,
  })
  return {
    isRenewing: renew.isPending,
    renew: ({ id }: Invitation) => renew.mutate(id),
    withdraw: withdraw.ask,
    dialogs: (
      <>
        {withdraw.dialog}
        <InvitationLink link={link} onClose={() => setLink(undefined)} />
      </>
    ),
  }
}

interface OpenInvitationsProps extends InvitationRowsProps {
  actions: ReturnType<typeof useInvitationActions>
}

/** Invitations that nobody has used. */
export function OpenInvitations({ people, invitations, actions }: OpenInvitationsProps) {
  return (
    <>
      {invitations.map((invitation) => {
        const title = titleOf(invitation)
        return (
          <li key={invitation.id} className={rowClass}>
            <div className="flex min-w-0 items-center gap-3">
              <span
                aria-hidden
                className="grid size-8 shrink-0 place-items-center rounded-full border border-dashed border-edge text-ink-soft"
              >
                <Mail size={15} />
              </span>
              <div className="min-w-0 leading-tight">
                <p className="font-medium wrap-anywhere">{title}</p>
                <p className="text-sm text-ink-soft">{factsOf(invitation, people)}</p>
              </div>
            </div>
            <div className="text-sm text-ink-soft max-sm:col-start-1 max-sm:row-start-2 max-sm:pl-11">
              {roleNames[invitation.role]}
            </div>
            <div className="max-sm:col-start-2 max-sm:row-start-2 max-sm:justify-self-end">
              <Button
                size="small"
                busy={actions.isRenewing}
                aria-label={`New link: ${title}`}
                onClick={() => actions.renew(invitation)}
              >
                <RefreshCw size={15} aria-hidden />
                New link
              </Button>
            </div>
            <div className="justify-self-end max-sm:col-start-2 max-sm:row-start-1">
              <IconButton label={`Withdraw: ${title}`} onClick={() => actions.withdraw(invitation)}>
                <X size={17} aria-hidden />
              </IconButton>
            </div>
          </li>
        )
      })}
    </>
  )
}

/** The only time that the link of an invitation is shown. */
export function InvitationLink({
  link,
  onClose,
}: {
  link: string | undefined
  onClose: () => void
}) {
  return (
    <SecretDialog
      title="Invitation link"
      description={spaceTexts.shownOnce}
      label="Link"
      secret={link}
      onClose={onClose}
    />
  )
}

const withArticle: Readonly<Record<SpaceRole, string>> = {
  owner: 'an owner',
  editor: 'an editor',
  viewer: 'a viewer',
}

function titleOf({ email, role }: Invitation): string {
  return `Invitation for ${email ?? withArticle[role]}`
}

function factsOf(
  { created_by: by, expires_at: end }: Invitation,
  people: readonly Member[],
): string {
  if (Date.parse(end) <= Date.now()) return `Expired ${shortDayOf(end)}`
  return `Made by ${personName(people, by)}, works once, until ${shortDayOf(end)}`
}

function personName(people: readonly Member[], id: string | null): string {
  const person = people.find(({ person_id: each }) => each === id)
  return person === undefined ? 'a former member' : memberName(person)
}

/** Who came by which invitation. */
export function UsedInvitations({ people, invitations }: InvitationRowsProps) {
  if (invitations.length === 0) return null
  return (
    <details className="mt-6">
      <summary className="min-h-6 cursor-pointer text-sm font-medium">
        Used invitations ({invitations.length})
      </summary>
      <ul className="mt-3 grid gap-2 text-sm text-ink-soft">
        {invitations.map((invitation) => (
          <li key={invitation.id} className="wrap-anywhere">
            {titleOf(invitation)}, made by {personName(people, invitation.created_by)} on{' '}
            {shortDayOf(invitation.created_at)}: used by{' '}
            <strong className="font-medium text-ink">
              {personName(people, invitation.used_by)}
            </strong>
          </li>
        ))}
      </ul>
    </details>
  )
}
