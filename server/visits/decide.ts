import type { PopupView } from '#public-pages/view-models.ts'
import type { BioEntry, BioLink, NameEntry, LinkEntry } from './name-entry.ts'

/** What to do with a visit. Effects (recording, answering) happen in visits.ts, in one place. */
export type RedirectDecision =
  | { do: 'redirect'; link: LinkEntry }
  | { do: 'interstitial'; link: LinkEntry; popup: PopupView }
  | { do: 'bio'; page: BioEntry }
  | { do: 'bio-link'; link: BioLink }
  | { do: 'bio-link-lost'; name: string }
  | { do: 'gone'; name: string }
  | { do: 'missing' }
  | { do: 'unavailable' }

/**
 * Decides what a visitor gets. Pure: only what stands behind the name counts, so no query, header or path suffix can
 * lead anybody elsewhere. `undefined` means that the name is not known and the database cannot be asked.
 */
export function decideVisit(entry: NameEntry | undefined): RedirectDecision {
  if (entry === undefined) return unavailable
  switch (entry.kind) {
    case 'link':
      return entry.popup?.view
        ? { do: 'interstitial', link: entry, popup: entry.popup.view }
        : { do: 'redirect', link: entry }
    case 'bio':
      return { do: 'bio', page: entry }
    case 'gone':
      return { do: 'gone', name: entry.name }
    case 'missing':
      return missing
  }
}

/** The same for one link of a bio page. A page that is still open somewhere may name a link that is gone by now. */
export function decideBioLinkVisit(entry: NameEntry | undefined, linkId: string): RedirectDecision {
  if (entry?.kind === 'gone') return { do: 'gone', name: entry.name }
  if (entry?.kind !== 'bio') return entry === undefined ? unavailable : missing
  const link = entry.links.get(linkId)
  return link ? { do: 'bio-link', link } : { do: 'bio-link-lost', name: entry.name }
}

const unavailable: RedirectDecision = { do: 'unavailable' }
const missing: RedirectDecision = { do: 'missing' }
