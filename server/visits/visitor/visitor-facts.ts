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

/** The most that a link's rule adds to the query, see rule-note.ts: two ids with two separators. */
export const maxNoteBytes = 82

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
  /** The query of the short link's own address, without '?'; of a link with rules, see rule-note.ts. */
  query: string
  /** Accept-Language. */
  language: string
}
