import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { dollars } from '#domain/money.ts'
import { routes, type SettingsTab } from '#domain/routes.ts'
import { site } from '#web/site.ts'
import { auth } from '#web/api/auth-client.ts'
import { secondFactorsQuery } from '#web/session/second-factor.ts'
import { useSession } from '#web/session/session.ts'
import { heldQuery, payoutsDueQuery } from '../payouts/payouts-query.ts'
import { reportsPerPage, reportsQuery } from '../reports/reports-query.ts'
import { summaryOf, systemStatusQuery } from '../system/system-status.ts'

interface Need {
  to: string
  search?: { tab: SettingsTab }
  text: string
}

/** Tasks that wait for an admin. `isSettled`: each count has loaded or failed. */
export function useNeeds(): { needs: Need[]; isSettled: boolean; hasFailed: boolean } {
  const open = useOpenReports()
  const due = useDuePayouts()
  const session = useSession()
  const userId = session.status === 'signed-in' ? session.userId : ''
  const factors = useQuery({ ...secondFactorsQuery(auth, userId), enabled: userId !== '' })
  const payouts = useQuery({ ...payoutsDueQuery, enabled: site.hasPlans })
  const commissions = useQuery({ ...heldQuery, enabled: site.hasPlans })
  const asked = [
    useInfiniteQuery(reportsQuery('open')),
    useQuery(systemStatusQuery),
    factors,
    ...(site.hasPlans ? [payouts, commissions] : []),
  ]
  const held = commissions.data?.length ?? 0
  const status = useQuery(systemStatusQuery).data
  const summary = status === undefined ? undefined : summaryOf(status)
  return {
    needs: [
      ...(open === undefined || open === '0'
        ? []
        : [
            { to: routes.adminReports.path, text: `${open} open report${open === '1' ? '' : 's'}` },
          ]),
      ...(due == null ? [] : [{ to: routes.adminPayouts.path, text: due }]),
      ...(held === 0
        ? []
        : [{ to: routes.adminPayouts.path, text: counted(held, 'held commission') }]),
      ...(summary === undefined || summary.verdict === 'ok'
        ? []
        : [{ to: routes.adminSystem.path, text: summary.text }]),
      ...(factors.data?.length === 0
        ? [
            {
              to: routes.settings.path,
              search: { tab: 'security' as const },
              text: 'Your admin account has no second factor: set one up',
            },
          ]
        : []),
    ],
    // A second try must not hold back the rest.
    isSettled: asked.every((query) => !query.isPending || query.failureCount > 0),
    hasFailed: asked.some((query) => query.isError && query.data === undefined),
  }
}

/** How many reports are open, in words: a page of them is read, not all. */
function useOpenReports(): string | undefined {
  const open = useInfiniteQuery(reportsQuery('open')).data?.pages[0]?.length
  if (open === undefined) return undefined
  return open >= reportsPerPage ? `${open} or more` : String(open)
}

/** Due payouts, in words; null when nothing is, undefined until it is known. */
function useDuePayouts(): string | null | undefined {
  const due = useQuery({ ...payoutsDueQuery, enabled: site.hasPlans }).data
  if (!site.hasPlans) return null
  if (due === undefined) return undefined
  const cents = due.reduce((sum, { due_cents }) => sum + due_cents, 0)
  return due.length === 0 ? null : `${dollars(cents)} due to ${counted(due.length, 'affiliate')}`
}

export function counted(count: number, what: string): string {
  return `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`
}
