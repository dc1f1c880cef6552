import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { HitSelection, ReportScope } from '#web/clicks/report.ts'
import { comparableEnd, type Period, periodOf } from './period/period.ts'
import { integrityQuery } from './report-queries.ts'
import { readReportView, type ReportView } from './report-view.ts'
import { useTimeZone } from './use-time-zone.ts'
import { filtersOf, includedKinds, chosenRange } from './view-parts.ts'

/** Shared state of the parts of a report. */
export interface OpenReport {
  readonly userId: string
  readonly about: ReportScope
  readonly view: ReportView
  readonly setView: (change: (view: ReportView) => ReportView) => void
  readonly zone: string
  /** In steps of minutes. */
  readonly now: number
  readonly period: Period
  /** Whether hits of this moment belong to it. */
  readonly isRunning: boolean
  readonly selection: HitSelection
  /** The whole previous period; null without one. */
  readonly previous: HitSelection | null
  /** As much of the time before as has passed of this one. */
  readonly comparable: HitSelection | null
}

/** Undefined until the question is known. */
export function useReport(userId: string, about: ReportScope): OpenReport | undefined {
  const { view, setView } = useReportView()
  const zone = useTimeZone(userId)
  const now = useNow()
  const preset = chosenRange(view)
  const integrity = useQuery(integrityQuery(userId, about))
  const isWaiting = preset === 'all' && integrity.isPending
  const keptSince = integrity.data?.kept_since ?? null

  return useMemo(() => {
    if (zone === undefined || isWaiting) return undefined
    const { from = '', to = '' } = view
    const period = periodOf(preset === 'custom' ? { from, to } : preset, {
      zone,
      now,
      keptSince: keptSince === null ? null : Date.parse(keptSince),
      compare: view.compare,
    })
    const select = (start: number, end: number): HitSelection => ({
      about,
      from: new Date(start).toISOString(),
      to: new Date(end).toISOString(),
      filters: filtersOf(view),
      include: includedKinds(view),
      isExact: view.exact === true,
    })
    const { previous } = period
    return {
      userId,
      about,
      view,
      setView,
      zone,
      now,
      period,
      isRunning: period.from <= now && now < period.to,
      selection: select(period.from, period.to),
      previous: previous && select(previous.from, previous.to),
      comparable: previous && select(previous.from, comparableEnd(period, now)),
    }
  }, [userId, about, view, setView, zone, now, preset, isWaiting, keptSince])
}

/** The view in the address, and a way to change it. The history keeps one entry: Back leaves the report. */
function useReportView() {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const view = useMemo(() => readReportView(search), [search])
  const setView = useCallback(
    (change: (view: ReportView) => ReportView) =>
      void navigate({
        to: '.',
        // Also on the page of a link: its address has no scope.
        search: (({ scope, id, ...now }: Record<string, unknown>) => ({
          ...(scope !== undefined && { scope, id }),
          ...change(readReportView(now)),
        })) as never,
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  )
  return { view, setView }
}

const tickMs = 5 * 60_000

/** In steps, so that a report is not another one with every rendering. */
function useNow(): number {
  const [now, setNow] = useState(step)
  useEffect(() => {
    const tick = () => setNow(step())
    const timer = setInterval(tick, tickMs / 5)
    document.addEventListener('visibilitychange', tick)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', tick)
    }
  }, [])
  return now
}

function step(): number {
  return Math.floor(Date.now() / tickMs) * tickMs
}
