import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { PopupAction } from '#domain/popup-actions.ts'
import { answerOf, tables } from '#web/client.ts'
import { isPlanRefusal, isUnknownScope } from './report.ts'

/** The days until now that results are about. */
export const resultDays = [7, 30, 90] as const
export type ResultDays = (typeof resultDays)[number]

/** Results of a popup on one link or page. */
export interface SurfaceResults {
  kind: string
  id: string
  /** The short code or slug; null for a deleted one. */
  label: string | null
  /** Without those that never happened there. */
  actions: Partial<Record<PopupAction, number>>
}

/** Result of the procedure `popup_report`: actions of people on a popup. */
export interface PopupReport {
  actions: Record<PopupAction, number>
  /** How many visitors did it. */
  people: Record<PopupAction, number>
  /** Visits of its links and pages; null where they are too many to add up. */
  served: number | null
  /** The days, oldest first; each is known by the instant of its start. */
  series: { key: string; shown: number; clicked: number; emailed: number }[]
  /** The person's, an IANA name: it defines days. */
  time_zone: string
  /** Those that showed it most. */
  surfaces: SurfaceResults[]
  /** How many more there are. */
  more_surfaces: number
}

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
