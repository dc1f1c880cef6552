import { isPopupAction } from '#domain/popup-actions.ts'
import type { PopupView } from '#public-pages/view-models.ts'
import type { BioEntry, BioLink, GoneEntry, LinkEntry, NameEntry } from './name-entry.ts'
import type { PopupNote } from './popup-note.ts'

/** Decision about a visit. visit-handler.ts carries it out. */
export type RedirectDecision =
  | { do: 'redirect'; link: LinkEntry }
  | { do: 'interstitial'; link: LinkEntry; popup: PopupView }
  | { do: 'bio'; page: BioEntry }
  | { do: 'bio-link'; link: BioLink }
  | { do: 'bio-link-lost'; name: string }
  | { do: 'gone'; entry: GoneEntry }
  | { do: 'missing' | 'unavailable' }

/**
 * Decides the response to a visitor. It sees only the entry of the name, so no query, header or path suffix can change the
 * destination. `undefined` means that the name is not in memory and the database does not respond.
 */
export function decideVisit(entry: NameEntry | undefined): RedirectDecision {
  if (entry === undefined) return { do: 'unavailable' }
  switch (entry.kind) {
    case 'link':
      return entry.popup?.view
        ? { do: 'interstitial', link: entry, popup: entry.popup.view }
        : { do: 'redirect', link: entry }
    case 'bio':
      return { do: 'bio', page: entry }
    case 'gone':
      return { do: 'gone', entry }
    case 'missing':
      return { do: 'missing' }
  }
}

/** Decides about one link of a bio page. A page that is still open in a browser may contain a link that was deleted. */
export function decideBioLinkVisit(entry: NameEntry | undefined, linkId: string): RedirectDecision {
  if (entry?.kind === 'gone') return { do: 'gone', entry }
  if (entry?.kind !== 'bio') return { do: entry === undefined ? 'unavailable' : 'missing' }
  const link = entry.links.get(linkId)
  return link ? { do: 'bio-link', link } : { do: 'bio-link-lost', name: entry.name }
}

/** How an action of a visitor is recorded. Undefined when the name shows no popup or the action is unknown. */
export function decidePopupEvent(
  entry: NameEntry | undefined,
  action: string,
): (PopupNote & { popupId: string }) | undefined {
  if (entry?.kind !== 'link' && entry?.kind !== 'bio') return undefined
  if (!entry.popup?.view || !isPopupAction(action)) return undefined
  return { popupId: entry.popup.id, action, surface: entry.id.replaceAll('-', '') }
}
