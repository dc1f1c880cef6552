import { queryOptions } from '@tanstack/react-query'
import type { SplitResult } from '#domain/report-answers.ts'
import type { LinkRules } from '#domain/visits/rules.ts'
import { tables } from '#web/client.ts'

/** The time of the results, until now. */
export const splitResultDays = 90

/** Results of the splits that a link has now. */
export function splitResultsQuery(linkId: string, rules: LinkRules) {
  return queryOptions({
    queryKey: ['split-results', linkId, rules],
    staleTime: 30_000,
    queryFn: async ({ signal }): Promise<readonly SplitResult[]> => {
      const now = Date.now()
      const { data } = await tables
        .rpc('split_report', {
          _link: linkId,
          _from: new Date(now - splitResultDays * 86_400_000).toISOString(),
          // A minute for clocks that differ.
          _to: new Date(now + 60_000).toISOString(),
        })
        .abortSignal(signal)
        .throwOnError()
      return (data as { splits: SplitResult[] }).splits
    },
  })
}
