import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { PopupReport } from '#domain/reports/report-answers.ts'
import { answerOf, tables } from '#web/api/client.ts'
import { isPlanRefusal, isUnknownScope } from './report.ts'

/** The days until now that results are about. */
export const resultDays = [7, 30, 90] as const
export type ResultDays = (typeof resultDays)[number]

const dayMs = 86_400_000
/** The server's clock may be ahead. */
const slackMs = 60_000

/** @param include without `own`, the owner's own views are left out */
export function popupReportQuery(
  userId: string,
  id: string,
  days: ResultDays,
  include: readonly ('repeats' | 'own')[] = ['repeats', 'own'],
) {
  return queryOptions({
    queryKey: ['popup-results', userId, id, days, include],
    placeholderData: keepPreviousData,
    // A refusal of the server repeats.
    retry: (failures, error) => failures < 1 && !isPlanRefusal(error) && !isUnknownScope(error),
    queryFn: ({ signal }) => {
      const now = Date.now()
      const request = tables.rpc('popup_report', {
        _id: id,
        _from: new Date(now - days * dayMs).toISOString(),
        _to: new Date(now + slackMs).toISOString(),
        _include: [...include],
      })
      return answerOf(request, signal) as Promise<PopupReport>
    },
  })
}
