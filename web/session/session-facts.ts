import { queryOptions } from '@tanstack/react-query'
import { claimsPaused } from '#domain/texts/session-texts.ts'
import { readStoredFields, writeStored } from '#web/stored.ts'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { rememberClaimProvider } from './providers/automatic-sign-in.ts'
import { spaceSlug } from '#web/space.ts'
import { EndedSessionError } from './session.ts'

/** Facts that every screen needs about an account. */
export interface SessionFacts {
  planType: string
  isAdmin: boolean
  /** Zone of the reports; null as long as none was set. */
  timeZone: string | null
  /** Whether the person owns the account. */
  isOwner: boolean
}

/** The plan, the role and the time zone of an account, in one answer. */
export function sessionFactsQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'facts'],
    staleTime: 60_000,
    // Not given up with the part that asked: a guard may wait for it (web/app/guards.ts).
    queryFn: async (): Promise<SessionFacts> => {
      const { tables } = await import('#web/api/client.ts')
      const { data } = await tables.rpc('session_facts', {}, { get: true }).throwOnError()
      if (data.claims?.are_due === true) await renewDueSession(userId)
      const facts = {
        planType: data.plan_type,
        // In a space nobody acts as an admin.
        isAdmin: spaceSlug === undefined && data.role === 'admin',
        timeZone: data.time_zone,
        isOwner: data.member_role === 'owner',
      }
      if (spaceSlug !== undefined)
        (await import('./space/space-membership.ts')).updateSpace({ role: data.member_role })
      rememberFacts(userId, facts)
      rememberClaimProvider(data.claims?.provider)
      return facts
    },
  })
}

/**
 * A session with claims that are due has lost the rights from them. Its refresh ends it, and the app goes to the provider;
 * while the provider is down, it goes on without them (docs/decisions/0068-admins-by-a-claim.md).
 */
async function renewDueSession(userId: string): Promise<void> {
  const { auth } = await import('#web/api/auth-client.ts')
  const { data, error } = await auth.refreshSession()
  if (data.session === null && error?.name !== 'AuthRetryableFetchError')
    throw new EndedSessionError()
  if (lastFacts(userId)?.isAdmin === true) notifyError(claimsPaused)
}

const storedKey = 'hoplet.facts'

/** Keeps those of the last account: nothing of an earlier one stays. */
function rememberFacts(userId: string, { planType, isAdmin }: SessionFacts): void {
  writeStored('localStorage', storedKey, JSON.stringify({ userId, planType, isAdmin }))
}

/** Facts that the last page load had about this account, for a failed read. The server decides about rights. */
export function lastFacts(userId: string): Omit<SessionFacts, 'timeZone' | 'isOwner'> | undefined {
  const { planType, isAdmin, ...stored } = readStoredFields('localStorage', storedKey)
  if (stored['userId'] !== userId || typeof planType !== 'string') return undefined
  return { planType, isAdmin: isAdmin === true }
}
