import { queryOptions, useQuery } from '@tanstack/react-query'

/** The domains of an account as far as choices need them. */
export function domainChoicesQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'domains', 'choices'],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      // Home is the first screen of visitors, who load no client.
      const { answerOf, tables } = await import('#web/api/client.ts')
      const request = tables.from('domains').select('host,is_verified,is_default')
      return answerOf(request.order('host').limit(100), signal)
    },
  })
}

export interface DomainChoice {
  /** The host of the new link or page; null is the server's own. */
  domain: string | null
  /** Domains to choose from; without any there is no choice. */
  hosts: readonly string[]
  /** The column `domain` of the new row. Undefined leaves it to the server. */
  sent: string | undefined
}

/**
 * The host of something new: the wanted one, or the account's default.
 *
 * @param userId undefined for a visitor
 * @param wanted null is the server's own host; undefined while nothing was chosen
 */
export function useDomainChoice(
  userId: string | undefined,
  wanted: string | null | undefined,
): DomainChoice {
  const { data = [] } = useQuery({
    ...domainChoicesQuery(userId ?? ''),
    enabled: userId !== undefined,
  })
  const verified = data.filter((domain) => domain.is_verified)
  const hosts = verified.map(({ host }) => host)
  const usual = verified.find((domain) => domain.is_default)?.host ?? null
  const isThere = wanted === null || (wanted !== undefined && hosts.includes(wanted))
  const domain = isThere ? wanted : usual
  return { domain, hosts, sent: hosts.length === 0 ? undefined : (domain ?? '') }
}
