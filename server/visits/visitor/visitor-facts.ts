/** First verdict on a request; the last four are pages of a link that are no click. The journal stores the index. */
export const verdicts = [
  'counted',
  'head',
  'prefetch',
  'bot',
  'password',
  'preview_page',
  'not_yet',
  'ended',
] as const
export type ClickVerdict = (typeof verdicts)[number]

/** The most that is recorded of each text, in bytes. */
export const maxTextBytes = { referrer: 512, userAgent: 512, query: 512, language: 35, place: 200 }

/** Parts of a record that only some clicks have, in its order. */
export const detailNames = [
  // Ids of the link's rule that decided, and of the variant of its split.
  'rule',
  'variant',
  // The action of a visitor on a popup, and the id of the link or bio page that showed it, as 32 hexadecimal digits.
  'action',
  'surface',
  // For later releases: the id of a page's block. Nothing has a placement here: the mark of a scan begins its query, in every version.
  'placement',
  'block',
] as const
/** The longest of these texts, in bytes. */
export const maxDetailBytes = 40
export type ClickDetails = Partial<Record<(typeof detailNames)[number], string>>

/** Facts of the User-Agent header about a browser. */
export interface Browser {
  isBot: boolean
  /** At most 512 printable ASCII bytes. */
  userAgent: Uint8Array
}

/** Derived from an address and a user agent. */
export interface VisitorIdentity {
  /** 8 bytes of a keyed hash; its key lasts a UTC day (docs/decisions/0080). */
  hash: Uint8Array
  /** Country, region and city in UTF-8, separated by tabs; empty when nothing is known. */
  place: Uint8Array
}

/** Everything that the address and the user agent say. */
export interface KnownVisitor {
  browser: Browser
  identity: VisitorIdentity
}

/** Record of a visitor besides the time. Never an IP address or a cookie. Texts are printable ASCII. */
export interface Visitor extends KnownVisitor {
  verdict: ClickVerdict
  referrer: string
  /** The query of the short link's own address, without '?'. */
  query: string
  /** Accept-Language. */
  language: string
  details?: ClickDetails
}
