import type { PopupAction } from '#domain/popups/popup-actions.ts'
import type { ClickColumns } from '#server/visits/record/decode-clicks.ts'

/** The actions of a visitor after the popup appeared; the list is a cycle, so that each has a plausible share. */
const endings: readonly (readonly PopupAction[])[] = [
  ['closed-later', 'reached'],
  ['emailed', 'clicked'],
  ['left'],
  ['closed-button', 'reached'],
  ['clicked', 'reached'],
  ['closed-later', 'reached'],
  ['emailed', 'clicked'],
  ['closed-escape', 'reached'],
  ['left'],
  ['clicked', 'reached'],
]

interface SeenPopup {
  /** The row of the visit in the columns. */
  visit: number
  popup: string
  surface: string
  ordinal: number
}

/** Adds the events of a popup for one visit: shown, and one ending a few seconds later. */
export function addPopupEvents(
  clicks: ClickColumns,
  { visit, popup, surface, ordinal }: SeenPopup,
): void {
  const actions = ['shown', ...(endings[ordinal % endings.length] ?? [])] as const
  for (const [step, action] of actions.entries()) {
    clicks.targets.push(popup.replaceAll('-', ''))
    clicks.kinds.push('popup')
    clicks.times.push((clicks.times[visit] ?? 0) + step * 4_000)
    clicks.verdicts.push(clicks.verdicts[visit] ?? 'counted')
    clicks.referrers.push('')
    clicks.userAgents.push(clicks.userAgents[visit] ?? '')
    clicks.queries.push('')
    clicks.languages.push(clicks.languages[visit] ?? '')
    clicks.places.push(clicks.places[visit] ?? '')
    clicks.visitors.push(clicks.visitors[visit] ?? 0)
    clicks.details.push({ action, surface: surface.replaceAll('-', '') })
  }
}
