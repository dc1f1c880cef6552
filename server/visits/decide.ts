import {
  type DecidedLink,
  decideLink,
  type LinkOutcome,
  type LinkVisit,
} from '#domain/visits/decide-link.ts'
import { isPopupAction, type PopupAction } from '#domain/popups/popup-actions.ts'
import type { PopupView } from '#public-pages/view-models.ts'
import type { BioEntry, BioLink, GoneEntry, LinkEntry, NameEntry } from './names/name-entry.ts'
import { pageAt } from './visitor-pages/timed-page.ts'

/** An outcome of decideLink, with the link and its popup. */
export type LinkDecision =
  | (Extract<LinkOutcome, { do: 'interstitial' }> & { link: LinkEntry; popup: PopupView })
  | (Exclude<LinkOutcome, { do: 'interstitial' } | { do: 'off' } | { do: 'blocked' }> & {
      link: LinkEntry
    })

/** Decision about a visit. visit-handler.ts carries it out. */
export type VisitDecision =
  | LinkDecision
  | { do: 'bio'; page: BioEntry }
  | { do: 'bio-link'; link: BioLink }
  | { do: 'bio-link-lost'; name: string }
  | { do: 'gone'; entry: GoneEntry }
  | { do: 'missing' | 'unavailable' | 'not-found' }

/**
 * Decides the response to a visitor. `undefined` means that the name is not in memory and the database does not respond. A
 * link that is off or blocked is `gone` since it was read.
 *
 * @param visitOf the visit as a link's decision sees it
 * @param now epoch milliseconds
 */
export function decideVisit(
  entry: NameEntry | undefined,
  visitOf: (link: LinkEntry) => LinkVisit,
  now: number,
): VisitDecision {
  if (entry === undefined) return { do: 'unavailable' }
  switch (entry.kind) {
    case 'link':
      return decideLinkVisit(entry, visitOf(entry), now)
    case 'bio':
      return { do: 'bio', page: pageAt(entry, now) }
    case 'gone':
      return { do: 'gone', entry }
    case 'missing':
      return { do: 'missing' }
  }
}

/** A link that is on, as its decision sees it. */
export function decidedLink({ destination, popup, options }: LinkEntry): DecidedLink {
  return { state: 'on', destination, hasPopup: popup?.view !== undefined, options }
}

function decideLinkVisit(link: LinkEntry, visit: LinkVisit, now: number): VisitDecision {
  const popup = link.popup?.view
  const outcome = decideLink(decidedLink(link), visit, now)
  if (outcome.do === 'off' || outcome.do === 'blocked')
    return { do: 'gone', entry: { kind: 'gone', name: link.name, site: link.site } }
  if (outcome.do !== 'interstitial') return { ...outcome, link }
  return popup
    ? { ...outcome, link, popup }
    : { do: 'redirect', link, to: outcome.to, status: 302, chosen: outcome.chosen }
}

/** Decides about `/{code}+`: of names, only links have this page. */
export function decidePreviewPage(
  entry: NameEntry | undefined,
  visitOf: (link: LinkEntry) => LinkVisit,
  now: number,
): VisitDecision {
  return entry?.kind === 'bio' ? { do: 'not-found' } : decideVisit(entry, visitOf, now)
}

/** Decides about one link of a bio page. A page that is still open in a browser may contain a link that was deleted. */
export function decideBioLinkVisit(
  entry: NameEntry | undefined,
  linkId: string,
  now: number,
): VisitDecision {
  if (entry?.kind === 'gone') return { do: 'gone', entry }
  if (entry?.kind !== 'bio') return { do: entry === undefined ? 'unavailable' : 'missing' }
  const link = pageAt(entry, now).links.get(linkId)
  return link ? { do: 'bio-link', link } : { do: 'bio-link-lost', name: entry.name }
}

/** How an action of a visitor is recorded. Undefined when the name shows no popup or the action is unknown. */
export function decidePopupEvent(
  entry: NameEntry | undefined,
  action: string,
): { popupId: string; action: PopupAction; surface: string } | undefined {
  if (entry?.kind !== 'link' && entry?.kind !== 'bio') return undefined
  if (!entry.popup?.view || !isPopupAction(action)) return undefined
  return { popupId: entry.popup.id, action, surface: entry.id.replaceAll('-', '') }
}
