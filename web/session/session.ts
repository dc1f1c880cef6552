import type { Session } from '@supabase/auth-js'
import { useSyncExternalStore } from 'react'
import { auth } from '#web/client.ts'
import { lacksSecondFactor } from './assurance.ts'

export type SessionState =
  | { readonly status: 'loading' }
  | { readonly status: 'signed-out' }
  /** The password was right, and the second factor is still to be shown. */
  | { readonly status: 'halfway'; readonly userId: string; readonly email: string }
  | { readonly status: 'signed-in'; readonly userId: string; readonly email: string }

let state: SessionState = { status: 'loading' }
const listeners = new Set<() => void>()

/**
 * Follows the auth client's events. Calls back when another account, or none, has taken over.
 *
 * @param onAccountChange `hasLeft`: there was an account before, whose data nobody after it may see
 */
export function followSession(onAccountChange: (hasLeft: boolean) => void): void {
  auth.onAuthStateChange((_event, session) => {
    const previous = state
    state = stateOf(session)
    if (sameState(previous, state)) {
      state = previous
      return
    }
    for (const listener of listeners) listener()
    // The client's callback must not wait for the client: see the warning in its documentation.
    if (previous.status === 'loading') return
    const hasLeft = idOf(previous) !== null && idOf(previous) !== idOf(state)
    setTimeout(() => onAccountChange(hasLeft), 0)
  })
}

function stateOf(session: Session | null): SessionState {
  if (session === null) return { status: 'signed-out' }
  const status = lacksSecondFactor(session) ? 'halfway' : 'signed-in'
  return { status, userId: session.user.id, email: session.user.email ?? '' }
}

function idOf(state: SessionState): string | null {
  return 'userId' in state ? state.userId : null
}

function sameState(a: SessionState, b: SessionState): boolean {
  if (a.status !== b.status) return false
  if (!('userId' in a) || !('userId' in b)) return true
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
  const session = await storedSession()
  return session === null || lacksSecondFactor(session) ? null : session.user.id
}

async function storedSession(): Promise<Session | null> {
  const { data, error } = await auth.getSession()
  // A refresh that failed for want of a network leaves the session stored: that is an error, not a sign-out.
  if (error !== null && data.session === null && error.name === 'AuthRetryableFetchError')
    throw error
  return data.session
}

/** Ends the session of this browser; other devices stay signed in. */
export async function signOut(): Promise<boolean> {
  const { error } = await auth.signOut({ scope: 'local' })
  return error === null
}
