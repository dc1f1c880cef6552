import { ifDefined } from '../../primitives/if-defined.ts'
const longest = 2_048
const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/

/**
 * Whether an app may register the address: https; http on the person's own machine; or an app's own scheme, which is a
 * domain name turned round (RFC 8252 7.1: it has a dot, so no `javascript:` is one). No user, no fragment, and no `*`, which
 * would look like a pattern.
 */
export function isAllowedRedirectUri(text: string): boolean {
  if (text.length > longest || !/^[\x21\x23-\x5b\x5d\x5f\x61-\x7a\x7e]+$/.test(text)) return false
  if (/[#*]/.test(text) || !URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username + password !== '') return false
  if (protocol === 'https:') return /^https:\/\/[^/]/i.test(text)
  if (protocol === 'http:') return /^http:\/\/[^/]/i.test(text) && loopback.test(hostname)
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol)
}

/** Compares letter by letter; only the port of a loopback address may be another each time (RFC 8252 7.3). */
export function isRegistered(registered: readonly string[], wanted: string): boolean {
  if (registered.includes(wanted)) return true
  const portless = isAllowedRedirectUri(wanted) ? withoutLoopbackPort(wanted) : undefined
  return (
    portless !== undefined && registered.some((known) => withoutLoopbackPort(known) === portless)
  )
}

function withoutLoopbackPort(text: string): string | undefined {
  const [, origin, rest] =
    /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(|[/?].*)$/.exec(text) ?? []
  return ifDefined(origin, (known) => `${known}${rest}`)
}

/** The app's address with the facts of an answer in its query, without undefined ones. */
export function withAnswer(redirectUri: string, answer: Record<string, string | null>): string {
  const given = Object.entries(answer).flatMap(([name, value]) =>
    value === null ? [] : [[name, value]],
  )
  const query = new URLSearchParams(given).toString()
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`
}
