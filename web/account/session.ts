import type { Session } from '@supabase/auth-js'
import { useSyncExternalStore } from 'react'
import { auth } from '#web/client.ts'

export type SessionState =
  | { readonly status: 'loading' }
  | { readonly status: 'signed-out' }
  | { readonly status: 'signed-in'; readonly userId: string; readonly email: string }

let state: SessionState = { status: 'loading' }
const listeners = new Set<() => void>()

/** Follows the auth client's events. Calls back when another account, or none, has taken over. */
export function followSession(onAccountChange: () => void): void {
  auth.onAuthStateChange((_event, session) => {
    const previous = state
    state = stateOf(session)
    if (sameState(previous, state)) {
      state = previous
      return
    }
    for (const listener of listeners) listener()
    // The client's callback must not wait for the client: see the warning in its documentation.
    if (previous.status !== 'loading') setTimeout(onAccountChange, 0)
  })
}

function stateOf(session: Session | null): SessionState {
  return session === null
    ? { status: 'signed-out' }
    : { status: 'signed-in', userId: session.user.id, email: session.user.email ?? '' }
}

function sameState(a: SessionState, b: SessionState): boolean {
  if (a.status !== 'signed-in' || b.status !== 'signed-in') return a.status === b.status
  return a.userId === b.userId && a.email === b.email
}

export function useSession(): SessionState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )
}

/** The id of the signed-in user, or null; refreshes an expired session first. For guards. */
export async function signedInUserId(): Promise<string | null> {
  const { data, error } = await auth.getSession()
  // A refresh that failed for want of a network leaves the session stored: that is an error, not a sign-out.
  if (error !== null && data.session === null && error.name === 'AuthRetryableFetchError')
    throw error
  return data.session?.user.id ?? null
}

/** Ends the session of this browser; other devices stay signed in. */
export async function signOut(): Promise<boolean> {
  const { error } = await auth.signOut({ scope: 'local' })
  return error === null
}
