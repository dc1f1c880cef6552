import { useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { type SpaceRole, spaceRole } from '#domain/access/space-roles.ts'
import { pathInSpace, routes } from '#domain/routes.ts'
import { invitationTexts, roleNames, roleWords, spaceNotices } from '#domain/texts/space-texts.ts'
import { answerOf, personTables } from '#web/api/client.ts'
import { UnreachableError } from '#web/api/fetch-in-words.ts'
import { useSession } from '#web/session/session.ts'
import { signOut } from '#web/session/session.ts'
import {
  deleteStoredInvitation,
  storedInvitation,
  storeInvitation,
} from '#web/session/space/stored-invitation.ts'
import { site } from '#web/site.ts'
import { leaveForPage } from '#web/space.ts'
import { refusedSpace } from '#web/spaces/refused-space.ts'
import { spacesQuery } from '#web/spaces/spaces-query.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import { Loading } from '#web/ui/mark.tsx'
import { dayOf } from '#web/ui/time-words.ts'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { AuthFrame } from './auth-frame.tsx'

interface Invitation {
  space: string
  role: SpaceRole
  email: string | null
  until: string
}

/** Null for an invitation that is over, or never was. */
async function readInvitation(token: string, signal: AbortSignal): Promise<Invitation | null> {
  const request = personTables.rpc('read_invitation', { _token: token })
  const found = Object(await answerOf(request, signal)) as Record<string, unknown>
  const role = spaceRole(found['role'])
  if (role === undefined) return null
  const { space, email, expires_at: until } = found
  return {
    space: String(space),
    role,
    email: typeof email === 'string' ? email : null,
    until: String(until),
  }
}

/** The page that the link of an invitation opens. The secret is the fragment, and is kept over the way to the sign-in. */
export function InvitationScreen() {
  const given = useRouterState({ select: ({ location }) => location.hash })
  const [token] = useState(() => (given === '' ? storedInvitation() : given))
  useEffect(() => {
    if (token !== '') storeInvitation(token)
  }, [token])
  const invitation = useQuery({
    queryKey: ['invitation', token],
    enabled: token !== '',
    queryFn: ({ signal }) => readInvitation(token, signal),
  })
  if (token === '' || invitation.data === null) return <Over />
  if (invitation.isError)
    return (
      <AuthFrame title="Invitation" heading={invitationTexts.failed}>
        <Button look="accent" onClick={() => void invitation.refetch()}>
          Try Again
        </Button>
      </AuthFrame>
    )
  if (invitation.data === undefined) return <Loading label="Loading the invitation" />
  return <Offer token={token} invitation={invitation.data} />
}

/** Used, expired or withdrawn: the server does not say which. */
function Over() {
  const session = useSession()
  useEffect(deleteStoredInvitation, [])
  return (
    <AuthFrame title="Invitation" heading={invitationTexts.over} intro={invitationTexts.overHint}>
      {session.status === 'signed-in' ? (
        <div className="grid gap-5">
          <OwnSpaces personId={session.personId} />
          <a href={routes.dashboard.path} className={`${buttonClass('ink')} justify-self-start`}>
            Go to your links
          </a>
        </div>
      ) : (
        <Link to={routes.auth.path} className={buttonClass('ink')}>
          Sign In
        </Link>
      )}
    </AuthFrame>
  )
}

/** The way on for a person who has used it, and opens the link again. */
function OwnSpaces({ personId }: { personId: string }) {
  const spaces = useQuery(spacesQuery(personId)).data ?? []
  if (spaces.length === 0) return null
  return (
    <div>
      <p className="text-sm text-ink-soft">{invitationTexts.yourSpaces}</p>
      <ul className="mt-1">
        {spaces.map(({ id, slug, name }) => (
          <li key={id}>
            <a
              href={pathInSpace(slug, routes.dashboard.path)}
              className="inline-flex min-h-11 items-center font-medium underline underline-offset-4 wrap-anywhere"
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Offer({ token, invitation }: { token: string; invitation: Invitation }) {
  const session = useSession()
  const { space, role, email, until } = invitation
  return (
    <AuthFrame
      title={`Join ${space}`}
      heading={`Join ${space}`}
      intro={
        <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-[auto_minmax(0,1fr)]">
          <dt className="text-ink-faint">Role</dt>
          <dd>
            {roleNames[role]}: {roleWords[role].toLowerCase()}
          </dd>
          <dt className="text-ink-faint">Open until</dt>
          <dd>{dayOf(until)}</dd>
          {email === null ? null : (
            <>
              <dt className="text-ink-faint">For</dt>
              <dd className="wrap-anywhere">{email}</dd>
            </>
          )}
        </dl>
      }
    >
      {session.status === 'signed-in' ? (
        <Join
          token={token}
          space={space}
          personId={session.personId}
          email={session.email}
          wanted={email}
        />
      ) : session.status === 'loading' ? (
        <Loading label="Loading" />
      ) : (
        <WaysIn />
      )}
    </AuthFrame>
  )
}

/** Both lead back here. */
function WaysIn() {
  const next = routes.invitation.path
  return (
    <div className="grid gap-4">
      <p className="text-ink-soft">{invitationTexts.signInFirst}</p>
      <div className="flex flex-wrap gap-2.5">
        <Link to={routes.auth.path} search={{ next }} className={buttonClass('accent')}>
          Sign In
        </Link>
        {site.hasPasswords ? (
          <Link
            to={routes.auth.path}
            search={{ next, mode: 'sign-up' }}
            className={buttonClass('plain')}
          >
            Sign Up
          </Link>
        ) : null}
      </div>
    </div>
  )
}

interface JoinProps {
  token: string
  space: string
  personId: string
  email: string
  /** The address that the invitation is for. */
  wanted: string | null
}

function Join({ token, space, personId, email, wanted }: JoinProps) {
  const [problem, setProblem] = useState<{ text: string; isMember: boolean }>()
  const join = useSingleMutation({
    mutationFn: async () => {
      const joined = Object(
        await answerOf(personTables.rpc('accept_invitation', { _token: token })),
      ) as { slug: string }
      deleteStoredInvitation()
      leaveForPage(pathInSpace(joined.slug, routes.dashboard.path))
      // The button stays busy until the space is there.
      return new Promise(() => {})
    },
    onError: (error) => {
      const refusal = refusedSpace(error)
      if (refusal !== undefined)
        return setProblem({
          text: refusal.text ?? '',
          isMember: refusal.field === 'member_already',
        })
      notifyError({
        ...spaceNotices.notJoined,
        ...(error instanceof UnreachableError && { description: error.message }),
      })
    },
  })
  const isForAnother = wanted !== null && wanted.toLowerCase() !== email.toLowerCase()
  return (
    <div className="grid gap-4">
      <p className="wrap-anywhere">
        You join as <strong className="font-medium">{email}</strong>.{' '}
        <button
          type="button"
          onClick={signOut}
          className="min-h-6 underline underline-offset-4 hover:decoration-2"
        >
          Not you?
        </button>
      </p>
      {isForAnother && problem === undefined ? (
        <p role="note" className="rounded-xl bg-accent-wash px-4 py-3 text-sm">
          {invitationTexts.forAnother}
        </p>
      ) : null}
      {problem === undefined ? null : (
        <div role="alert" className="rounded-xl bg-accent-wash px-4 py-3 text-sm">
          {problem.text}
        </div>
      )}
      {problem?.isMember === true ? (
        <OwnSpaces personId={personId} />
      ) : (
        <Button
          look="accent"
          busy={join.isPending}
          className="justify-self-start"
          onClick={() => {
            setProblem(undefined)
            join.mutate()
          }}
        >
          {join.isPending ? 'Joining...' : `Join ${space}`}
        </Button>
      )}
      <a
        href={routes.dashboard.path}
        onClick={deleteStoredInvitation}
        className="justify-self-start text-sm text-ink-soft underline underline-offset-4"
      >
        Not now
      </a>
    </div>
  )
}
