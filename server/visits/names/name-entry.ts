import type { PublicSite } from '../../http/public-site.ts'
import type { BioPageView, OwnerView, PopupView } from '#public-pages/view-models.ts'
import type { VisitResponse } from '../responses.ts'
import type { TargetKind } from '../record/click-record.ts'
import type { EntryOptions } from './entry-options.ts'

/** A target with counted visits. */
export interface ClickTarget {
  kind: TargetKind
  id: string
}

/** The popup of a link or page. `view` is undefined while it is inactive, or its button leads to a blocked host. */
export interface ShownPopup {
  id: string
  view: PopupView | undefined
  /** The owner, if they have a bio page. */
  owner: OwnerView | undefined
}

/** A name, as its visitors see it. */
interface NamedEntry {
  name: string
  /** Site of its domain; undefined on the own host. */
  site?: PublicSite | undefined
}

/** A short link. `redirect` is the finished response, made once when the link is loaded. */
export interface LinkEntry extends ClickTarget, NamedEntry {
  kind: 'link'
  /** Key of its name (name-key.ts). */
  key: string
  /** The stored URL, byte for byte, checked again when it was loaded. */
  destination: string
  redirect: VisitResponse
  popup: ShownPopup | undefined
  title: string | undefined
  /** Undefined for a link without any. */
  options: EntryOptions | undefined
  /** Each visitor is redirected with the status 302, and nothing but rules and placements decides where: the fast lane may do it. */
  isPlain: boolean
}

/** A link of a bio page. `redirect` is the finished response. */
export interface BioLink extends ClickTarget {
  kind: 'bio_link'
  redirect: VisitResponse
}

/** An entry of a bio page that visitors see from one moment to another, in epoch milliseconds. */
export interface TimedLink {
  id: string
  /** In the list of the view. */
  index: number
  from: number
  to: number
}

export interface ShownBioPage {
  view: BioPageView
  /** By id. */
  links: ReadonlyMap<string, BioLink>
  /** The entries that are not always there. */
  times: readonly TimedLink[]
}

/**
 * A bio page with everything that its rendering needs, read in one statement so that its parts match. It has the entries of
 * all times: visitors get `pageAt` (timed-page.ts).
 */
export interface BioEntry extends ClickTarget, ShownBioPage, NamedEntry {
  kind: 'bio'
  popup: ShownPopup | undefined
}

/** A name that an admin blocked, or a link with a stored destination that fails the checks. */
export interface GoneEntry extends NamedEntry {
  kind: 'gone'
}

/** Target of a name. */
export type NameEntry = LinkEntry | BioEntry | GoneEntry | { kind: 'missing' }

export const missing: NameEntry = { kind: 'missing' }
