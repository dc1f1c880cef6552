import { AuthClient, isAuthRetryableFetchError } from '@supabase/auth-js'
import { FunctionsClient } from '@supabase/functions-js'
import { PostgrestClient } from '@supabase/postgrest-js'
import type { Database } from './database.ts'
import { site } from './site.ts'

const origin = window.location.origin
const headers = { apikey: site.anonKey }

const storageKey = 'hoplet.auth'

/** The auth door. Sessions live in local storage, shared by all tabs, and are refreshed automatically. */
export const auth = new AuthClient({
  url: `${origin}/auth/v1`,
  headers: { ...headers, Authorization: `Bearer ${site.anonKey}` },
  storageKey,
  persistSession: true,
  autoRefreshToken: true,
  detectSessionInUrl: true,
  flowType: 'pkce',
})

/**
 * An auth client that keeps no session: to open an account without becoming that account in this browser, or to sign in
 * anew beside the session that is there. A PKCE verifier it leaves to {@link auth}, which the mailed link comes back to.
 */
export function createEphemeralAuthClient(): AuthClientType {
  const memory = new Map<string, string>()
  const isShared = (key: string) => key.endsWith('-code-verifier')
  return new AuthClient({
    url: `${origin}/auth/v1`,
    headers: { ...headers, Authorization: `Bearer ${site.anonKey}` },
    storageKey: 'hoplet.ephemeral',
    storage: {
      getItem: (key) => memory.get(key) ?? null,
      setItem: (key, value) => {
        if (isShared(key)) localStorage.setItem(`${storageKey}-code-verifier`, value)
        else memory.set(key, value)
      },
      removeItem: (key) => void memory.delete(key),
    },
    autoRefreshToken: false,
    detectSessionInUrl: false,
    flowType: 'pkce',
  })
}
export type AuthClientType = InstanceType<typeof AuthClient>

/** The table door, speaking as whoever is signed in. */
export const tables = new PostgrestClient<Database>(`${origin}/rest/v1`, {
  headers,
  fetch: fetchAsCaller,
  // Queries are tried again by TanStack Query, which says so; two layers of it would keep people waiting.
  retry: false,
})

/** The table door, speaking as the bearer of this access token. */
export function tablesAs(token: string): PostgrestClient<Database> {
  return new PostgrestClient<Database>(`${origin}/rest/v1`, {
    headers: { ...headers, Authorization: `Bearer ${token}` },
  })
}

/** The functions door, speaking as whoever is signed in. */
export const functions = new FunctionsClient(`${origin}/functions/v1`, {
  headers,
  customFetch: fetchAsCaller,
})

/** fetch() with the access token of whoever is signed in, for this server's own doors. */
export async function fetchAsCaller(
  input: RequestInfo | URL,
  init: RequestInit = {},
): Promise<Response> {
  const { data } = await auth.getSession()
  const sent = new Headers(init.headers)
  if (!sent.has('Authorization')) {
    sent.set('Authorization', `Bearer ${data.session?.access_token ?? site.anonKey}`)
  }
  const response = await fetch(input, { ...init, headers: sent })
  if (response.status !== 401 || data.session === null) return response
  // The token is stale, or the session was ended elsewhere. Refreshing tells which. A dead session is forgotten (the
  // client itself would keep it until its token expires), and the guards lead to the sign-in screen.
  const renewed = await auth.refreshSession()
  if (renewed.data.session === null) {
    if (!isAuthRetryableFetchError(renewed.error)) await auth.signOut({ scope: 'local' })
    return response
  }
  sent.set('Authorization', `Bearer ${renewed.data.session.access_token}`)
  return fetch(input, { ...init, headers: sent })
}
