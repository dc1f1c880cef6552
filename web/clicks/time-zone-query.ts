import { queryOptions } from '@tanstack/react-query'
import { sessionFactsQuery } from '#web/session/session-facts.ts'
import { setTimeZone } from './report.ts'

/** The time zone of the account's reports. Without one it becomes the browser's, for its owners once and for all. */
export function timeZoneQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'time-zone'],
    staleTime: Infinity,
    retry: false,
    queryFn: async ({ client }): Promise<string> => {
      const { timeZone: known, isOwner } = await client.fetchQuery(sessionFactsQuery(userId))
      if (known !== null) return known
      const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone
      if (isOwner) await setTimeZone(zone)
      return zone
    },
  })
}
