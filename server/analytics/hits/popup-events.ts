import type { HitVerdict } from '#domain/reports/hits.ts'
import { isPopupAction, type PopupAction } from '#domain/popups/popup-actions.ts'
import { type ClickColumns, noClicks } from '../../visits/record/decode-clicks.ts'
import type { ClickDetails } from '../../visits/visitor/visitor-facts.ts'
import { clientOf } from './client-of.ts'
import type { HitScope } from './classify.ts'
import { createBatchVerdicts, type VerdictDeps } from './batch-verdicts.ts'

/** Letters as in `app.popup_events.action`. */
export const popupLetters = {
  shown: 's',
  'closed-button': 'b',
  'closed-backdrop': 'k',
  'closed-escape': 'e',
  'closed-later': 'n',
  clicked: 'c',
  emailed: 'm',
  reached: 'r',
  left: 'l',
} as const satisfies Record<PopupAction, string>

/** An action of a visitor on a popup. */
export interface PopupEvent {
  at: number
  visitor: number
  popup: HitScope
  surface: HitScope
  action: PopupAction
  verdict: HitVerdict
}

/** Clicks as they are in the journal, told apart. */
interface SplitClicks {
  /** Visits of links, bio pages and links of those. */
  visits: ClickColumns
  /** Actions on popups, and the facts of each row. */
  popups: ClickColumns
  actions: RecordedAction[]
}

interface RecordedAction {
  action: PopupAction
  /** The link or bio page that showed the popup, as 32 hexadecimal digits. */
  surface: string
}

function actionIn({ action = '', surface = '' }: ClickDetails = {}): RecordedAction | undefined {
  return isPopupAction(action) && /^[0-9a-f]{32}$/.test(surface) ? { action, surface } : undefined
}

/** Takes the records of popups out of the others. Those that no one could have written are left out. */
export function splitClicks(clicks: ClickColumns): SplitClicks {
  const [visits, popups, actions]: [number[], number[], RecordedAction[]] = [[], [], []]
  if (!clicks.kinds.includes('popup')) return { visits: clicks, popups: noClicks(), actions }
  for (const [i, kind] of clicks.kinds.entries()) {
    if (kind !== 'popup') {
      visits.push(i)
      continue
    }
    const recorded = actionIn(clicks.details[i])
    if (recorded === undefined) continue
    popups.push(i)
    actions.push(recorded)
  }
  return { visits: pick(clicks, visits), popups: pick(clicks, popups), actions }
}

function pick(clicks: ClickColumns, rows: readonly number[]): ClickColumns {
  const wanted = new Set(rows)
  const of = <Value>(column: readonly Value[]) => column.filter((_, row) => wanted.has(row))
  return {
    targets: of(clicks.targets),
    kinds: of(clicks.kinds),
    times: of(clicks.times),
    verdicts: of(clicks.verdicts),
    referrers: of(clicks.referrers),
    userAgents: of(clicks.userAgents),
    queries: of(clicks.queries),
    languages: of(clicks.languages),
    places: of(clicks.places),
    visitors: of(clicks.visitors),
    details: of(clicks.details),
  }
}

/**
 * Decides the verdicts of actions on popups, as for visits: a repeat is the same action with the same popup within
 * half an hour. Events of popups and pages that were deleted before they had a scope are left out.
 */
export function classifyPopups(
  { popups, actions }: Pick<SplitClicks, 'popups' | 'actions'>,
  scopes: ReadonlyMap<string, HitScope>,
  deps: VerdictDeps,
): { events: PopupEvent[]; remember(): void } {
  const verdicts = createBatchVerdicts(deps)
  const events: PopupEvent[] = []
  for (const [i, { action, surface }] of actions.entries()) {
    const popup = scopes.get(popups.targets[i] ?? '')
    const place = scopes.get(surface)
    if (!popup || !place) continue
    const [at, visitor] = [popups.times[i] ?? 0, popups.visitors[i] ?? 0]
    const client = clientOf(popups.userAgents[i] ?? '', popups.verdicts[i] ?? 'counted', '')
    const visit = { visitor, scope: actionScope(popup.scope, popupLetters[action]), at }
    const verdict = verdicts.of(client.verdict, visit, popup.userId)
    events.push({ at, visitor, popup, surface: place, action, verdict })
  }
  return { events, remember: verdicts.remember }
}

/** Identifies one action of a popup in the search for repeats. Negative, so that it never equals the scope of a visit. */
export function actionScope(popup: number, letter: string): number {
  return -(popup * 32 + (letter.charCodeAt(0) & 31))
}
