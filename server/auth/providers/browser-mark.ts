import { sha256 } from '../../primitives/sha256.ts'
import { randomBytes } from 'node:crypto'
import type { AuthCall } from '../call.ts'

/** A little longer than a sign-in may take. */
const lifetimeSeconds = 600
const markFormat = /^[A-Za-z0-9_-]{43}$/

/**
 * Marks the browser that leaves for a provider, so that only it can come back. Otherwise a stranger could make a victim finish
 * the stranger's sign-in, and the victim would be signed in as, or linked to, the stranger. Several tabs share one mark.
 *
 * @returns the hash to store, and the cookie to send
 */
export function markBrowser(call: AuthCall): { hash: string; cookie: string } {
  const mark = markIn(call) ?? randomBytes(32).toString('base64url')
  const { name, path, secure } = cookieFor(call)
  return {
    hash: hashMark(mark),
    cookie: `${name}=${mark}; Path=${path}; Max-Age=${lifetimeSeconds}; HttpOnly; SameSite=Lax${secure}`,
  }
}

/** The hash of the mark that came with the request. */
export function browserHash(call: AuthCall): string | undefined {
  const mark = markIn(call)
  return mark === undefined ? undefined : hashMark(mark)
}

/** Over https the `__Host-` prefix makes browsers accept the cookie from this host only. */
function cookieFor(call: AuthCall): { name: string; path: string; secure: string } {
  return call.deps.config.publicUrl.startsWith('https:')
    ? { name: '__Host-hoplet-flow', path: '/', secure: '; Secure' }
    : { name: 'hoplet-flow', path: '/auth/v1', secure: '' }
}

function markIn(call: AuthCall): string | undefined {
  const { name } = cookieFor(call)
  const pairs = (call.request.headers.get('cookie') ?? '').split(/; */)
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  return value !== undefined && markFormat.test(value) ? value : undefined
}

function hashMark(mark: string): string {
  return sha256(mark).toString('hex')
}
