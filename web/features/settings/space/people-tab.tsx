import { useQuery } from '@tanstack/react-query'
import { Info, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { spaceNotices, spaceTexts } from '#domain/texts/space-texts.ts'
import { usePlan } from '#web/plan/plan.ts'
import { useKeptRight } from '#web/session/space/rights.ts'
import { Button } from '#web/ui/button.tsx'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { OpenInvitations, UsedInvitations, useInvitationActions } from './invitation-rows.tsx'
import { PeopleTable } from './people-table.tsx'
import { invitationsQuery, membersQuery, type SpaceTabProps } from './space-queries.ts'

/** The people of the space and its invitations. Only owners change them. */
export function PeopleTab({ userId, personId }: SpaceTabProps) {
  const isOwner = useKeptRight('owner')
  const members = useQuery(membersQuery(userId))
  const invitations = useQuery({ ...invitationsQuery(userId), enabled: isOwner })
  const actions = useInvitationActions(userId)
  const [isInviting, setInviting] = useState(false)
  const open = invitations.data?.filter(({ used_by: by }) => by === null) ?? []
  const used = invitations.data?.filter(({ used_by: by }) => by !== null) ?? []
  return (
    <section aria-labelledby="people-title">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <div>
          <h2 id="people-title" className="font-semibold">
            People
          </h2>
          <Seats userId={userId} people={members.data?.length} open={open.length} />
        </div>
        {isOwner ? (
          <Button look="ink" onClick={() => setInviting(true)}>
            <UserPlus size={18} aria-hidden />
            Invite
          </Button>
        ) : null}
      </div>
      <QueryPanel query={members} failed={spaceNotices.peopleFailed}>
        {(people) => (
          <>
            <PeopleTable userId={userId} personId={personId} people={people} isOwner={isOwner}>
              <OpenInvitations people={people} invitations={open} actions={actions} />
            </PeopleTable>
            <p className="mt-4 flex items-start gap-2.5 text-sm text-ink-soft">
              <Info size={16} aria-hidden className="mt-0.5 shrink-0" />
              {spaceTexts.viewers}
            </p>
            <UsedInvitations people={people} invitations={used} />
          </>
        )}
      </QueryPanel>
      {invitations.isError ? (
        <p role="alert" className="mt-4 text-sm text-danger">
          {spaceNotices.invitationsFailed.title}
        </p>
      ) : null}
      {actions.dialogs}
      <InviteDialog userId={userId} open={isInviting} onClose={() => setInviting(false)} />
    </section>
  )
}

interface SeatsProps {
  userId: string
  people: number | undefined
  open: number
}

function Seats({ userId, people, open }: SeatsProps) {
  const limits = usePlan(userId)?.limits
  if (people === undefined || limits === undefined)
    return <p className="h-5 text-sm text-ink-soft" />
  const invited =
    open === 0 ? '' : open === 1 ? ', one invitation open' : `, ${open} invitations open`
  return (
    <p className="text-sm text-ink-soft tabular-nums">
      {people} of {limits.members.toLocaleString('en-US')} seats{invited}
    </p>
  )
}
