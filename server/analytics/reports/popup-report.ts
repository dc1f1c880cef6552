import { type PopupAction, popupActions } from '#domain/popups/popup-actions.ts'
import type { CountedKind, PopupReport } from '#domain/reports/report-answers.ts'
import { type Bucket, shownClicks, addUp } from './click-report.ts'
import type { ReportReader } from './hit-reader.ts'
import type { PopupDay, Span } from './question.ts'

/** Question of `api.popup_report` (database/code/15_popup_results.sql). */
export interface PopupReportQuestion extends Span {
  popup: number
  account: number
  zone: string
  from_text: string
  to_text: string
  include: readonly CountedKind[]
  buckets: readonly Bucket[]
}

const maxSurfaces = 100

interface Event {
  day: string
  surface: number
  action: PopupAction
  n: number
}

/** Results of a popup, as docs/analytics.md describes it. */
export async function popupReport(
  question: PopupReportQuestion,
  reader: ReportReader,
): Promise<PopupReport> {
  const { popup, zone, from, to, include, buckets } = question
  const rows = popup === 0 ? [] : await reader.popupDays({ popups: [popup], zone, from, to })
  const events = rows.flatMap(({ day, surface, action, ...counts }) => {
    const n = shownClicks(counts, include)
    return surface === null || n === 0 ? [] : [{ day, surface, action, n }]
  })
  const surfaces = surfacesOf(events)
  const listed = surfaces.slice(0, maxSurfaces)
  const targets = await reader.nameTargets(listed.map(({ surface }) => surface))
  return {
    from: question.from_text,
    to: question.to_text,
    time_zone: zone,
    actions: byAction((action) => countOf(events, action)),
    people: byAction((action) =>
      addUp(rows.filter((row) => row.action === action).map(visitorsOf)),
    ),
    series: buckets.map(({ value, key }) => {
      const ofDay = events.filter(({ day }) => day === value)
      const count = (action: PopupAction) => countOf(ofDay, action)
      return { key, shown: count('shown'), clicked: count('clicked'), emailed: count('emailed') }
    }),
    surfaces: listed.flatMap(({ surface, actions }) => {
      const target = targets.get(surface)
      return target ? [{ kind: target.kind, id: target.ref, label: target.label, actions }] : []
    }),
    more_surfaces: Math.max(0, surfaces.length - maxSurfaces),
    served: surfaces.length > maxSurfaces ? null : await visitsOf(question, surfaces, reader),
  }
}

const visitorsOf = ({ visitors }: PopupDay) => visitors

function byAction(countOfAction: (action: PopupAction) => number): PopupReport['actions'] {
  const counts = popupActions.map((action) => [action, countOfAction(action)])
  return Object.fromEntries(counts) as PopupReport['actions']
}

function countOf(events: readonly Event[], wanted: PopupAction): number {
  return addUp(events.filter(({ action }) => action === wanted).map(({ n }) => n))
}

/** Those that showed it most first, without actions that never happened there. */
function surfacesOf(events: readonly Event[]) {
  const actionsOf = new Map<number, Partial<Record<PopupAction, number>>>()
  for (const { surface, action, n } of events) {
    const actions = actionsOf.get(surface) ?? {}
    actionsOf.set(surface, actions)
    actions[action] = (actions[action] ?? 0) + n
  }
  return [...actionsOf]
    .map(([surface, actions]) => ({ surface, actions }))
    .sort((a, b) => (b.actions.shown ?? 0) - (a.actions.shown ?? 0) || a.surface - b.surface)
}

/** How often these links and pages were visited in the time. */
async function visitsOf(
  { account, zone, from, to, include }: PopupReportQuestion,
  surfaces: readonly { surface: number }[],
  reader: ReportReader,
): Promise<number> {
  if (surfaces.length === 0) return 0
  const targets = surfaces.map(({ surface }) => surface)
  const days = await reader.targetDays({ account, targets, zone, from, to })
  return addUp(days.map((day) => shownClicks(day, include)))
}
