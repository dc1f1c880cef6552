import type { PopupAction } from '#domain/popups/popup-actions.ts'
import type { ClickColumns } from '#server/visits/record/decode-clicks.ts'

/** The actions of a visitor after the popup appeared; the list is a cycle, so that each has a plausible share. */
const endings: readonly (readonly PopupAction[])[] = [
  ['closed-later', 'reached'],
  ['clicked', 'reached'],
  ['left'],
  ['closed-button', 'reached'],
  ['closed-later', 'reached'],
  ['emailed', 'clicked'],
  ['closed-escape', 'reached'],
  ['closed-later', 'reached'],
  ['clicked', 'reached'],
  ['left'],
  ['closed-backdrop', 'reached'],
]

interface SeenPopup {
  /** The row of the visit in the columns. */
  visit: number
  popup: { id: string; collectsEmail: boolean }
  surface: string
  /** Place among the visits of the surface. */
  ordinal: number
}

/** Adds the events of a popup for one visit: shown, and one ending a few seconds later. Bots give no address. */
export function addPopupEvents(
  clicks: ClickColumns,
  { visit, popup, surface, ordinal }: SeenPopup,
): { gaveEmail: boolean } {
  const isCounted = clicks.verdicts[visit] === 'counted'
  const ending = (endings[ordinal % endings.length] ?? []).filter(
    (action) => action !== 'emailed' || (popup.collectsEmail && isCounted),
  )
  const actions = ['shown', ...ending] as const
  for (const [step, action] of actions.entries()) {
    clicks.targets.push(popup.id.replaceAll('-', ''))
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
  return { gaveEmail: ending.includes('emailed') }
}
