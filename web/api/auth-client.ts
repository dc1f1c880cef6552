import { AuthClient } from '@supabase/auth-js'
import { fetchInWords, refusalFields } from './fetch-in-words.ts'
import { allowSilentSignIn } from '../session/providers/automatic-sign-in.ts'
import { announceAuth, reportRefusedSession, sessionKey } from '../session/loaded-auth.ts'
import { site } from '../site.ts'
import { readStored, writeStored } from '../stored.ts'

const origin = window.location.origin
const common = {
  url: `${origin}/auth/v1`,
  headers: { apikey: site.anonKey, Authorization: `Bearer ${site.anonKey}` },
  fetch: fetchInWords,
  flowType: 'pkce',
} as const

/**
 * The client waits for its own answer before it lets anyone sign in, so a call of a session that was ended elsewhere
 * cannot be sent again afterwards, as `fetchAsCaller` does: it fails, and the app asks to sign in.
 */
async function fetchOfSession(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const response = await fetchInWords(input, init)
  if (response.status === 403 && (await refusalFields(response))['code'] === 'session_not_found')
    reportRefusedSession(new Headers(init.headers).get('Authorization')?.slice('Bearer '.length))
  if (response.status === 400 && (await refusalFields(response))['code'] === 'session_expired') {
    // Without a stored session another tab was first.
    if (readStored('localStorage', sessionKey) !== null) allowSilentSignIn()
  }
  return response
}

/** The auth door. Sessions live in local storage, shared by all tabs, and are refreshed automatically. */
export const auth = new AuthClient({
  ...common,
  fetch: fetchOfSession,
  storageKey: sessionKey,
  persistSession: true,
  autoRefreshToken: true,
  detectSessionInUrl: true,
})
announceAuth(auth)

/**
 * An auth client that keeps no session: it opens an account without becoming that account in this browser, or signs in
 * beside the session that exists. A PKCE verifier goes to {@link auth}, which the mailed link comes back to.
 */
export function createEphemeralAuthClient(): AuthClientType {
  const memory = new Map<string, string>()
  const isShared = (key: string) => key.endsWith('-code-verifier')
  return new AuthClient({
    ...common,
    storageKey: 'hoplet.ephemeral',
    storage: {
      getItem: (key) => memory.get(key) ?? null,
      setItem: (key, value) => {
        if (isShared(key)) writeStored('localStorage', `${sessionKey}-code-verifier`, value)
        else memory.set(key, value)
      },
      removeItem: (key) => void memory.delete(key),
    },
    autoRefreshToken: false,
    detectSessionInUrl: false,
  })
}
export type AuthClientType = InstanceType<typeof AuthClient>
