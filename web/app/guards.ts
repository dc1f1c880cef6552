import { redirect } from '@tanstack/react-router'
import { sessionEndedNotice } from '#domain/texts/session-texts.ts'
import { routes, splitSpacePath } from '#domain/routes.ts'
import { queryClient } from '../api/query-client.ts'
import { hasLeftAdmin } from '../session/admin-exit.ts'
import { silentProvider } from '../session/providers/automatic-sign-in.ts'
import { readNextPage } from '../session/next-page.ts'
import { lastFacts, sessionFactsQuery } from '../session/session-facts.ts'
import { giveUpEndedSession, signedInUserId, untilSessionEnds } from '../session/session.ts'
import { knownSpace } from '../session/space/account-store.ts'
import { hasRight } from '../session/space/rights.ts'
import { storedInvitation } from '../session/space/stored-invitation.ts'
import { site } from '../site.ts'
import { isOfAnotherAccount, spaceSlug, untilStaying } from '../space.ts'
import { notifyError } from '../ui/toasts/notify.ts'

// Guards only choose a screen: the server decides about rights.

/** Pages of the person and of other accounts are other page loads (web/space.ts). */
export async function sameAccountOnly({
  location,
  preload,
}: {
  location: { pathname: string; publicHref: string }
  preload: boolean
}): Promise<void> {
  await untilStaying()
  if (!preload && isOfAnotherAccount(location.pathname))
    throw redirect({ href: location.publicHref, reloadDocument: true })
}

interface Guarded {
  /** Where the person wants to go. */
  location: { publicHref: string }
}

/** Whether the account is an admin's; when the answer does not come, the last one known, else `otherwise`. */
async function isAdmin(userId: string, toSignIn: unknown, otherwise?: false): Promise<boolean> {
  const { ended, stop } = untilSessionEnds()
  try {
    return (await Promise.race([queryClient.ensureQueryData(sessionFactsQuery(userId)), ended]))
      .isAdmin
  } catch (error) {
    // The session turned out to be dead while we asked.
    if ((await signedInUserId()) === null) throw toSignIn
    const known = lastFacts(userId)?.isAdmin ?? otherwise
    if (known === undefined) throw error
    return known
  } finally {
    stop()
  }
}

function signInFor({ location }: Guarded) {
  return redirect({ to: routes.auth.path, search: { next: location.publicHref } })
}

async function signedInPerson(guarded: Guarded): Promise<string> {
  const userId = await signedInUserId()
  if (userId === null) throw signInFor(guarded)
  // Beside the screen's script; a part that shows them says when they do not come.
  void queryClient.prefetchQuery(sessionFactsQuery(userId))
  return userId
}

export async function signedInOnly(guarded: Guarded): Promise<void> {
  await signedInPerson(guarded)
}

/** Screens of a space that are for everybody in one's own account. */
export async function membersOnly(guarded: Guarded): Promise<void> {
  if (spaceSlug !== undefined) await signedInPerson(guarded)
}

/** Members who make no links begin with the list of them. */
export async function shortenersOnly(guarded: Guarded): Promise<void> {
  await membersOnly(guarded)
  const answer = knownSpace()?.answer
  if (typeof answer === 'object' && !hasRight(answer.role, 'links:write'))
    throw redirect({ to: routes.dashboard.path })
}

/** My Links is not for admins, unless they chose Exit Admin. */
export async function peopleOnly(guarded: Guarded): Promise<void> {
  const userId = await signedInPerson(guarded)
  if (spaceSlug !== undefined) return
  if ((await isAdmin(userId, signInFor(guarded), false)) && !hasLeftAdmin(userId))
    throw redirect({ to: routes.admin.path })
}

export async function adminsOnly(guarded: Guarded): Promise<void> {
  const userId = await signedInUserId()
  if (userId === null || !(await isAdmin(userId, signInFor(guarded))))
    throw redirect({ to: routes.home.path })
}

/** Leads people who are signed in on: to where they wanted to go, else admins to /admin and everyone else to My Links. */
export async function signedOutOnly({
  search,
  preload,
}: {
  search: { next?: string }
  preload: boolean
}): Promise<void> {
  const userId = await signedInUserId()
  if (userId === null) {
    if (!preload && giveUpEndedSession() && silentProvider() === undefined)
      notifyError(sessionEndedNotice)
    return
  }
  const waiting = storedInvitation() === '' ? undefined : routes.invitation.path
  const next = readNextPage(search.next) ?? waiting
  if (next !== undefined)
    throw redirect({
      href: next,
      reloadDocument: splitSpacePath(next).slug !== undefined,
    })
  const isTheirs = await isAdmin(userId, undefined, false)
  throw redirect({ to: isTheirs ? routes.admin.path : routes.dashboard.path })
}

/** Screens about passwords, where people have them. */
export function withPasswordsOnly(): void {
  if (!site.hasPasswords) throw redirect({ to: routes.auth.path })
}
