import { queryOptions } from '@tanstack/react-query'
import type { ApiUpdates } from '#domain/database.generated.ts'
import { answerOf, tables } from '#web/api/client.ts'
import type { AccountDomain } from '#web/api/database.ts'

/** A wait for DNS takes minutes or hours. Hidden tabs do not ask. */
const refreshMs = 15_000

const columns =
  'id,host,is_verified,has_certificate,certificate_ends_at,is_probed,problem,records,root_url,missing_url,is_default,link_count,checked_at,created_at'

/** All that the account says about its domains, which choices of hosts read too. */
export const domainsKey = (userId: string) => ['account', userId, 'domains'] as const

/** The domains of the account, in the order in which they came; asked for again while one waits. */
export function domainsQuery(userId: string) {
  return queryOptions({
    queryKey: [...domainsKey(userId), 'list'],
    queryFn: async ({ signal }) => {
      const request = tables.from('domains').select(columns).order('created_at').order('id')
      return (await answerOf(request, signal)) as AccountDomain[]
    },
    refetchInterval: ({ state }) => state.data?.some(isWaiting) === true && refreshMs,
  })
}

/** Whether a check of the server will change the row by itself. */
function isWaiting({ is_verified, has_certificate, is_probed, problem }: AccountDomain) {
  if (problem === 'blocked' || problem === 'taken') return false
  return !is_verified || (is_probed && !has_certificate)
}

/** A dialog about a domain. */
export type DomainQuestion = { kind: 'targets' | 'remove'; domain: AccountDomain }

type DomainTargets = Pick<ApiUpdates['domains'], 'root_url' | 'missing_url'>

export const domainCalls = {
  add: (host: string) => answerOf(tables.from('domains').insert({ host }).select('id')),
  /** Another default of the account ends. */
  setDefault: (id: number, isDefault: boolean) =>
    answerOf(tables.from('domains').update({ is_default: isDefault }).eq('id', id).select('id')),
  setTargets: (id: number, targets: DomainTargets) =>
    answerOf(tables.from('domains').update(targets).eq('id', id).select('id')),
  check: (id: number) => answerOf(tables.rpc('check_domain', { _id: id })),
  remove: (id: number) => answerOf(tables.from('domains').delete().eq('id', id).select('id')),
}

/** The words of the server for a refusal. */
export function domainRefusal(error: unknown): string {
  const { message = 'Please try again.', details } = Object(error) as {
    message?: string
    details?: string | null
  }
  return details ?? message
}
