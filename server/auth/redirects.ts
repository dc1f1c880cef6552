import { isAppPath } from '#domain/routes.ts'
import type { AuthError } from './errors.ts'

interface Allowing {
  publicUrl: string
  auth: { redirectUrls: readonly string[] }
}

const maxUrlLength = 2_048
/** Path characters that another server may read differently. */
const ambiguous = /%(?:2e|2f|5c|0[0-9a-f]|1[0-9a-f]|7f)/i

/**
 * Where a sign-in may send the browser: `wanted` when it is allowed, else the site itself.
 *
 * Allowed are the web app's own pages and addresses of AUTH_REDIRECT_URLS. On our own origin it is the app's pages and
 * nothing else, because anyone can create a redirect at `/{code}`, and browsers carry the fragment, with the tokens, along.
 */
export function allowedRedirect(config: Allowing, wanted: string | null | undefined): string {
  const site = new URL(config.publicUrl)
  const url = wanted ? readPlainUrl(wanted) : undefined
  if (!url) return config.publicUrl
  const isAllowed =
    url.origin === site.origin
      ? isAppPath(url.pathname)
      : config.auth.redirectUrls.some((pattern) => matches(pattern, url))
  return isAllowed ? url.href : config.publicUrl
}

/**
 * Whether a page of this origin may act for a person: the site's own, or one that a sign-in may lead to. Clients other than
 * browsers send no origin, and may.
 */
export function isAllowedOrigin(config: Allowing, origin: string | null): boolean {
  if (origin === null) return true
  const allowed = [config.publicUrl, ...config.auth.redirectUrls]
  return allowed.some((address) => new URL(address).origin === origin)
}

/**
 * Reads an absolute URL that every parser reads alike: scheme, host and port exactly as the standard writes them, with no user,
 * backslash, control character or blank.
 */
function readPlainUrl(text: string): URL | undefined {
  if (text.length > maxUrlLength || !/^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/i.test(text))
    return undefined
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const rest = text.slice(url.origin.length)
  if (text.slice(0, url.origin.length).toLowerCase() !== url.origin) return undefined
  if (!/^(?:$|[/?#])/.test(rest) || ambiguous.test(url.pathname)) return undefined
  return url
}

/** `*` matches a part of one path segment, `**` any rest; origins have no wildcards, queries are ignored. */
function matches(pattern: string, url: URL): boolean {
  const { origin, pathname } = new URL(pattern)
  if (origin !== url.origin) return false
  const expression = pathname
    .split(/(\*\*|\*)/)
    .map(
      (part) => ({ '**': '.*', '*': '[^/]*' })[part] ?? part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'),
    )
    .join('')
  return new RegExp(`^${expression}$`).test(url.pathname)
}

/**
 * Redirects with parameters in the query, the fragment or both. Replaces the fragment of the address. 303, because a form may
 * have been posted; the protocol has 302 where a provider is involved.
 *
 * @param redirectTo from {@link allowedRedirect}
 */
export function redirectWith(
  redirectTo: string,
  {
    query = {},
    fragment = {},
  }: { query?: Record<string, string>; fragment?: Record<string, string> },
  status: 302 | 303 = 303,
): Response {
  const url = new URL(redirectTo)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  url.hash = new URLSearchParams(fragment).toString()
  return new Response(null, {
    status,
    headers: {
      Location: url.href,
      // The next page must not learn our address, which contains a secret.
      'Referrer-Policy': 'no-referrer',
    },
  })
}

/** Redirects with an error to where a sign-in began. PKCE clients read the query, others the fragment. */
export function redirectFailed(redirectTo: string, { code, message, more }: AuthError): Response {
  const error = more.oauthError ?? 'invalid_request'
  const facts = { error, error_code: code, error_description: message }
  return redirectWith(redirectTo, { query: facts, fragment: facts }, 302)
}
