import type { AuthClient } from '@supabase/auth-js'

/** Where the session is kept in local storage. */
export const sessionKey = 'hoplet.auth'

type Auth = InstanceType<typeof AuthClient>

// The auth client is an eighth of the app's script, and a visitor without a session does not need it. Whichever screen
// loads it, the session follows it from then on.

let loaded: Auth | undefined
let follower: ((auth: Auth) => void) | undefined

export function announceAuth(auth: Auth): void {
  loaded = auth
  follower?.(auth)
}

let refused: (token: string | undefined) => void = () => {}

/** The server has refused a call of the auth client because it no longer knows the session of this access token. */
export function reportRefusedSession(token: string | undefined): void {
  refused(token)
}

export function whenSessionIsRefused(end: (token: string | undefined) => void): void {
  refused = end
}

/** Calls back once, when the client is loaded; at once if it is already. */
export function whenAuthLoads(follow: (auth: Auth) => void): void {
  follower = follow
  if (loaded !== undefined) follow(loaded)
}

/** Whether a mailed link or a provider has led here, so that the client has something to complete. */
export function isSignInReturn({ search, hash }: { search: string; hash: string }): boolean {
  const query = new URLSearchParams(search)
  const fragment = new URLSearchParams(hash.slice(1))
  return (
    ['code', 'error', 'error_description'].some((name) => query.has(name)) ||
    ['access_token', 'error', 'error_description', 'message'].some((name) => fragment.has(name))
  )
}
