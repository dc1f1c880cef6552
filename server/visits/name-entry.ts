import type { BioPageView, PopupView } from '#public-pages/view-models.ts'
import type { VisitResponse } from './responses.ts'
import type { TargetKind } from './click-record.ts'

/** Something that is counted: its kind and the 16 bytes of its id, as the journal writes them. */
export interface ClickTarget {
  kind: TargetKind
  id: string
  idBytes: Uint8Array
}

/** The popup that an owner put in front. `view` is missing while it is inactive or can't be shown. */
export interface ShownPopup {
  id: string
  view: PopupView | undefined
}

/** What a link is to a visitor. `redirect` is the finished response, made once when the link is loaded. */
export interface LinkEntry extends ClickTarget {
  kind: 'link'
  name: string
  /** The stored URL, byte for byte, checked again when it was loaded. */
  destination: string
  redirect: VisitResponse
  popup: ShownPopup | undefined
}

/** One link of a bio page: `redirect` is the finished response, as with a short link. */
export interface BioLink extends ClickTarget {
  kind: 'bio_link'
  redirect: VisitResponse
}

/** A bio page: all that its rendering needs, read in one statement, so that it is never half old and half new. */
export interface BioEntry extends ClickTarget {
  kind: 'bio'
  name: string
  view: BioPageView
  /** By id. */
  links: ReadonlyMap<string, BioLink>
  popup: ShownPopup | undefined
}

/** Blocked by an admin, or a link whose stored destination may not be followed. */
export interface GoneEntry {
  kind: 'gone'
  name: string
}

/** What stands behind a name. */
export type NameEntry = LinkEntry | BioEntry | GoneEntry | { kind: 'missing' }

export const missing: NameEntry = { kind: 'missing' }
