/**
 * Paths of a domain beside those of its links and bio pages: forms and pictures of their pages, icons, and its page for codes that do not
 * exist. It has no app, no API and no sign-in (docs/decisions/0009).
 */
const served =
  /^\/(?:report(?:\/sent|\/)?|(?:media|og|assets\/looks|audience\/join)\/[^?]*|robots\.txt|favicon\.(?:svg|ico)|icon-(?:192|512)\.png|apple-touch-icon(?:-precomposed)?\.png)(?:\?|$)/

/** Whether a request target at a domain is for one of the doors. */
export function isServedOnDomains(target: string): boolean {
  return served.test(target)
}

/** Names that no link and no bio page of a domain can have, lower case: beginnings of paths that it serves, now or later. */
export const reservedOnDomains: readonly string[] = [
  '404',
  'assets',
  'audience',
  'favicon',
  'media',
  'og',
  'q',
  'report',
  'robots',
  'well-known',
]
