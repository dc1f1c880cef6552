import { isAppPath } from '#domain/routes.ts'

/** Where a person wanted to go before they had to sign in: a page of this app, else undefined. */
export function readNextPage(wanted: unknown): string | undefined {
  if (typeof wanted !== 'string' || !wanted.startsWith('/')) return undefined
  if (!URL.canParse(wanted, window.location.origin)) return undefined
  const { origin, pathname, search } = new URL(wanted, window.location.origin)
  const isOurs = origin === window.location.origin && isAppPath(pathname)
  return isOurs ? `${pathname}${search}` : undefined
}
