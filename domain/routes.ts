import { nameInAddress } from './links/link-address.ts'

/** A page of the web app: the pattern that the router matches and the function that makes its address. */
export interface AppRoute<Path extends string = string, Params = void> {
  readonly path: Path
  readonly href: (params: Params) => string
}

function fixed<const Path extends string>(path: Path): AppRoute<Path> {
  return { path, href: () => path }
}

function withQuery<const Path extends string, Query extends object>(
  path: Path,
): AppRoute<Path, Query | void> {
  return {
    path,
    href: (query) => {
      const given = Object.entries(query ?? {}).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value]] : [],
      )
      return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
    },
  }
}

/** One more segment: a page for each code, or `host~code` on a domain. */
function withCode<const Path extends `${string}/$code`>(
  path: Path,
): AppRoute<Path, { code: string }> {
  return {
    path,
    href: ({ code }) => path.replace('$code', encodeURIComponent(nameInAddress(code))),
  }
}

/** A page for each row, by its id. */
function withId<const Path extends `${string}/$id/${string}`>(
  path: Path,
): AppRoute<Path, { id: string }> {
  return { path, href: ({ id }) => path.replace('$id', encodeURIComponent(id)) }
}

/** The parts of the settings; the first is the one that opens. */
export const settingsTabs = [
  'profile',
  'security',
  'domains',
  'apps',
  'api-keys',
  'webhooks',
  'account',
] as const
export type SettingsTab = (typeof settingsTabs)[number]

/** The parts of the settings of a space; the first is the one that opens. */
export const spaceSettingsTabs = [
  'profile',
  'people',
  'domains',
  'api-keys',
  'webhooks',
  'plan',
] as const
export type SpaceSettingsTab = (typeof spaceSettingsTabs)[number]

/** The parts of the API reference; the first is the one that opens. */
export const referenceParts = ['tables', 'account', 'functions'] as const
export type ReferencePart = (typeof referenceParts)[number]

/** Every page of the web app. Links, redirects, guards and tests use these. */
export const routes = {
  home: withQuery<'/', { ref?: string }>('/'),
  auth: withQuery<
    '/auth',
    {
      ref?: string
      mode?: 'sign-in' | 'sign-up'
      next?: string | undefined
      from?: 'sign-up' | 'provider' | 'silent' | undefined
    }
  >('/auth'),
  forgotPassword: fixed('/auth/forgot'),
  resetPassword: fixed('/auth/reset'),
  /** The secret of the invitation is the fragment. */
  invitation: fixed('/auth/invitation'),
  dashboard: fixed('/dashboard'),
  missedCodes: fixed('/dashboard/missing-codes'),
  imports: withQuery<'/dashboard/import', { id?: string }>('/dashboard/import'),
  linkHealth: fixed('/dashboard/health'),
  link: withCode('/links/$code'),
  analytics: withQuery<'/analytics', { scope?: 'link' | 'bio' | 'bio_link' | 'tag'; id?: string }>(
    '/analytics',
  ),
  bioLink: fixed('/bio-link'),
  qrStudio: withQuery<'/qr', { link?: string; page?: string }>('/qr'),
  popupGenerator: withQuery<'/popup-generator', { edit?: string }>('/popup-generator'),
  myPopups: fixed('/my-popups'),
  popupResults: withId('/my-popups/$id/results'),
  audience: fixed('/audience'),
  upgrade: withQuery<'/upgrade', { success?: string }>('/upgrade'),
  affiliates: fixed('/affiliates'),
  admin: fixed('/admin'),
  adminUsers: fixed('/admin/users'),
  adminLinks: withQuery<'/admin/links', { by?: string; value?: string }>('/admin/links'),
  adminMissedCodes: fixed('/admin/missing-codes'),
  adminReports: fixed('/admin/reports'),
  adminPayouts: fixed('/admin/payouts'),
  adminAudit: fixed('/admin/audit'),
  adminSystem: fixed('/admin/system'),
  settings: withQuery<'/settings', { tab?: SettingsTab | SpaceSettingsTab; webhook?: string }>(
    '/settings',
  ),
  help: fixed('/help'),
  demo: fixed('/demo'),
  oauthConsent: withQuery<'/oauth/consent', { authorization_id?: string }>('/oauth/consent'),
  reference: withQuery<'/docs/reference', { part?: ReferencePart }>('/docs/reference'),
  notFound: fixed('/404'),
} as const

const appPaths: readonly string[] = Object.values(routes).map((route) => route.path)

/** Pages that exist only where accounts have plans. */
export const routesOfPlans: readonly string[] = [
  routes.upgrade.path,
  routes.affiliates.path,
  routes.adminPayouts.path,
]

/** The paths that the server answers with the web app's document, with `$code` and `$id` for any code and id. `/404` and `/demo` are visitors' pages. */
export const appRoutePaths: readonly string[] = appPaths.filter(
  (path) => path !== '/404' && path !== '/demo',
)

/** Those of them that are about an account, and so exist in each space too: `/s/{slug}` and the path. */
export const spaceRoutePaths: readonly string[] = appRoutePaths.filter(
  (path) => !/^\/(auth|oauth|admin|affiliates|docs)/.test(path),
)

const patternsOf = (paths: readonly string[]) =>
  paths.map((path) => new RegExp(`^${path.replace(/\$(code|id)/, '[A-Za-z0-9_.~-]+')}$`))
const appPatterns = patternsOf(appRoutePaths)
const spacePatterns = patternsOf(spaceRoutePaths)

/** Whether a path is a page of the web app, for a person or in a space. */
export function isAppPath(pathname: string): boolean {
  const { slug, path } = splitSpacePath(pathname)
  return slug === undefined
    ? appPatterns.some((pattern) => pattern.test(pathname))
    : isSpacePath(path)
}

/** Whether a page, by its path without the space, is about an account. */
export function isSpacePath(path: string): boolean {
  return spacePatterns.some((pattern) => pattern.test(path))
}

/** The space that a path names, and the path of the page in it: `/s/books/qr` is `/qr` in `books`. */
export function splitSpacePath(pathname: string): { slug?: string; path: string } {
  // A bio page named `s` has `/s/go/{id}` and `/s/popup`.
  const [, slug, path] =
    /^\/s\/(?!(?:go|popup)(?:\/|$))([a-z0-9](?:-?[a-z0-9])+)(\/.*)?$/.exec(pathname) ?? []
  return slug === undefined ? { path: pathname } : { slug, path: path ?? '/' }
}

/** The path of a page in a space; of a person's own page without one. */
export function pathInSpace(slug: string | undefined, path: string): string {
  return slug === undefined ? path : path === '/' ? `/s/${slug}` : `/s/${slug}${path}`
}

const serverDoors = words(`
  auth rest functions mcp storage realtime graphql health metrics media assets static public fonts images robots favicon
  sitemap manifest og theme well-known service-worker sw webhooks webhook sandbox q s
`)

// Pages that a visitor would take for the site's own: no link or bio page may have such a name.
const officialNames = words(`
  api app www index home login log-in signin sign-in signup sign-up logout log-out signout sign-out register password
  reset verify confirm account accounts profile root administrator system security abuse report help support about
  terms privacy legal imprint contact status billing checkout payment payments error null undefined hoplet 403 410
  500 503
`)

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

/**
 * Names that `/{code}` can never be, lower case: the first segments of the app's pages, the server's doors and
 * names that only the site itself may speak under. The namespace in the database refuses them to everyone.
 */
export const reservedWords: readonly string[] = [
  ...new Set([
    ...appPaths.map((path) => path.split('/')[1] ?? '').filter((segment) => segment !== ''),
    ...serverDoors,
    ...officialNames,
  ]),
].sort()
