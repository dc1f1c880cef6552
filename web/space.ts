import { isSpacePath, pathInSpace, splitSpacePath } from '#domain/routes.ts'

/**
 * The space of this page load, by its address; undefined in one's own account. A page load acts for one account: every way to
 * another one loads a new document.
 */
export const spaceSlug = splitSpacePath(window.location.pathname).slug

/** How the router reads and writes addresses in the space: its routes have no prefix, and pages about a person never get one. */
export const spaceRewrite =
  spaceSlug === undefined
    ? undefined
    : {
        input({ url }: { url: URL }) {
          const { slug, path } = splitSpacePath(url.pathname)
          if (slug === spaceSlug) url.pathname = path
          return url
        },
        output({ url }: { url: URL }) {
          if (isSpacePath(url.pathname)) url.pathname = pathInSpace(spaceSlug, url.pathname)
          return url
        },
      }

/** Whether a page, by its path in the router, belongs to another account than this page load. */
export function isOfAnotherAccount(path: string): boolean {
  return spaceSlug !== undefined && !isSpacePath(path)
}

let isLeaving = false

/** Loads another page of the app, for the account of its address. */
export function leaveForPage(href: string): void {
  isLeaving = true
  window.location.assign(href)
}

/** Resolves at once, and never on the way to another page: no guard may lead elsewhere meanwhile. */
export function untilStaying(): Promise<void> | undefined {
  return isLeaving ? new Promise(() => {}) : undefined
}

// The browser may keep the page that was left, and show it again.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted && isLeaving) window.location.reload()
})
