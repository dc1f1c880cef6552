import type { Session } from '@supabase/auth-js'
import { useSyncExternalStore } from 'react'
import { sessionEnded } from '#domain/texts/session-texts.ts'
import { site } from '#web/site.ts'
import { readStoredFields, writeStored } from '#web/stored.ts'
import { openTabsChannel } from '#web/tabs-channel.ts'
import { spaceSlug } from '#web/space.ts'
import { followSpace, knownAccountOf } from './space/account-store.ts'
import { lacksSecondFactor } from './assurance.ts'
import { leaveSignInAgain, stayOnSignIn } from './providers/automatic-sign-in.ts'
import { isSignInReturn, sessionKey, whenAuthLoads, whenSessionIsRefused } from './loaded-auth.ts'

export type SessionState =
  | { readonly status: 'loading' }
  | { readonly status: 'signed-out' }
  /** The password was right, and the second factor is still missing. */
  | { readonly status: 'halfway'; readonly personId: string; readonly email: string }
  /** The address names a space that is not there, or that the person is not a member of. */
  | { readonly status: 'outside'; readonly personId: string; readonly email: string }
  | {
      readonly status: 'signed-in'
      /** The account that the page acts for: that of the space in its address, else the person's own. */
      readonly userId: string
      readonly personId: string
      readonly email: string
      /** Ended elsewhere. The screens keep their input while the app asks to sign in again. */
      readonly hasEnded: boolean
    }

export class EndedSessionError extends Error {
  constructor() {
    super(sessionEnded.title)
  }
}

let state: SessionState = { status: 'loading' }
let lastSession: Session | null = null
let onChange: (hasLeft: boolean) => void = () => {}
const listeners = new Set<() => void>()

/**
 * Tells the other tabs that the session has ended, or that the person left on purpose: then nothing of the account may
 * stay on their screens. (The auth client tells them as well, but its sign-out may come late, and end a session that
 * another tab has stored meanwhile.)
 */
const tabs = openTabsChannel('hoplet.sign-out')

/**
 * Follows the auth client's events. Calls back when another account, or none, has taken over.
 *
 * @param onAccountChange `hasLeft`: there was an account before; the next must not see its data
 */
export function followSession(onAccountChange: (hasLeft: boolean) => void): void {
  onChange = onAccountChange
  whenAuthLoads((auth) => {
    auth.onAuthStateChange((_event, session) => take(nextState(session)))
  })
  followSpace(() => {
    if (lastSession !== null) take(nextState(lastSession))
  })
  if (hasStoredSession() || isSignInReturn(window.location)) loadAuthWhenOnline()
  else take({ status: 'signed-out' })
  // Another tab has signed in.
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === sessionKey && newValue !== null) loadAuthWhenOnline()
  })
  tabs.addEventListener('message', ({ data }: MessageEvent<'ended' | 'left'>) => {
    if (data === 'left') take({ status: 'signed-out' })
    else if (storedToken() === undefined) take(nextState(null))
  })
}

async function loadAuth() {
  return (await import('#web/api/auth-client.ts')).auth
}

function loadAuthWhenOnline(): void {
  loadAuth().catch(() => {
    window.addEventListener('online', loadAuthWhenOnline, { once: true })
  })
}

function nextState(session: Session | null): SessionState {
  // Signing out on purpose has set the state before the client's event comes.
  const before = state
  lastSession = session
  if (session === null)
    return before.status === 'signed-in' ? { ...before, hasEnded: true } : { status: 'signed-out' }
  const person = { personId: session.user.id, email: session.user.email ?? '' }
  if (!lacksSecondFactor(session)) {
    const userId = knownAccountOf(person.personId)
    if (userId === 'absent') return { status: 'outside', ...person }
    if (userId !== undefined) return { status: 'signed-in', userId, ...person, hasEnded: false }
    findAccount(session)
    return { status: 'loading' }
  }
  const isComingBack = before.status === 'signed-in' && before.personId === person.personId
  return isComingBack ? { ...before, hasEnded: true } : { status: 'halfway', ...person }
}

/**
 * The account that the person of a session acts for on this page.
 *
 * @throws {NoSuchSpaceError}
 */
export async function accountOf(session: Session): Promise<string> {
  if (spaceSlug === undefined) return session.user.id
  return (await import('./space/space-membership.ts')).spaceIdOf(session)
}

/** Asks for the space; the state follows, and guards say when it does not come. */
function findAccount(session: Session): void {
  accountOf(session).catch((error: Error) => {
    if (error.name === 'SpaceSessionError') endSession(session.access_token)
  })
}

function take(next: SessionState): void {
  const previous = state
  if (isSame(previous, next)) return
  state = next
  if (next.status === 'signed-out') lastSession = null
  if (next.status === 'signed-in' && !next.hasEnded) leaveSignInAgain()
  for (const listener of listeners) listener()
  if (previous.status === 'loading' || (next.status === 'signed-in' && next.hasEnded)) return
  const hasLeft = idOf(previous) !== null && idOf(previous) !== idOf(next)
  // The client's callback must not wait for the client: see the warning in its documentation.
  setTimeout(() => onChange(hasLeft), 0)
}

function idOf(of: SessionState): string | null {
  return 'userId' in of ? of.userId : null
}

function isSame(a: SessionState, b: SessionState): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function currentState(): SessionState {
  return state
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether this browser holds a session; it may turn out to have ended. */
export function hasStoredSession(): boolean {
  return storedToken() !== undefined
}

export function useSession(): SessionState {
  return useSyncExternalStore(subscribe, currentState, currentState)
}

/** The id of the account on the screen, or null; also while its session has ended. */
export function isSignedIn(): string | null {
  return state.status === 'signed-in' ? state.userId : null
}

/** The id of the person at the screen, or null; also while their session has ended. */
export function personOnScreen(): string | null {
  return state.status === 'signed-in' ? state.personId : null
}

/**
 * The id of the account that the signed-in person acts for, or null; refreshes an expired session first. For guards.
 *
 * @throws {NoSuchSpaceError}
 */
export async function signedInUserId(): Promise<string | null> {
  const session = await storedSession()
  return session === null || lacksSecondFactor(session) ? null : accountOf(session)
}

async function storedSession(): Promise<Session | null> {
  if (state.status === 'signed-out' && !hasStoredSession()) return null
  const { data, error } = await (await loadAuth()).getSession()
  // A refresh that failed for want of a network leaves the session stored: that is an error, not a sign-out.
  if (error !== null && data.session === null && error.name === 'AuthRetryableFetchError')
    throw error
  return data.session
}

/**
 * The server no longer knows the session of this access token (undefined: it has left the storage). A session that another
 * tab has stored meanwhile stays.
 */
export function endSession(token: string | undefined): void {
  const stored = storedToken()
  if (stored !== undefined && stored !== token) return
  clearStored()
  take(nextState(null))
  tabs.postMessage('ended')
}
whenSessionIsRefused(endSession)

/** Resolves when this person is signed in again; rejects when that is not to come. */
export function sessionAgain(personId: string, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = subscribe(settle)
    signal?.addEventListener('abort', () => {
      stop()
      reject(signal.reason as Error)
    })
    function settle() {
      if (state.status !== 'signed-in' || state.personId !== personId)
        reject(new EndedSessionError())
      else if (!state.hasEnded) resolve()
      else return
      stop()
    }
    settle()
  })
}

/** Rejects once the session of the account on the screen has ended: for calls that cannot wait for a sign-in. */
export function untilSessionEnds(): { ended: Promise<never>; stop: () => void } {
  let stop = () => {}
  const ended = new Promise<never>((_, reject) => {
    stop = subscribe(() => {
      if (state.status === 'signed-in' && state.hasEnded) reject(new EndedSessionError())
    })
  })
  ended.catch(() => {})
  return { ended, stop }
}

/** Forgets a session that has ended, instead of signing in again. @returns whether there was one */
export function giveUpEndedSession(): boolean {
  if (state.status !== 'signed-in' || !state.hasEnded) return false
  take({ status: 'signed-out' })
  return true
}

/** Signs this browser out, at once and also without a network; other devices stay signed in. */
export function signOut(): void {
  const token = storedToken()
  clearStored()
  stayOnSignIn('browser')
  take({ status: 'signed-out' })
  tabs.postMessage('left')
  // Waits for a refresh that is under way, which would store the session again.
  void loadAuth().then((auth) => auth.signOut({ scope: 'local' }))
  if (token !== undefined) endOnServer(token)
}

function endOnServer(token: string): void {
  fetch('/auth/v1/logout?scope=local', {
    method: 'POST',
    headers: { apikey: site.anonKey, Authorization: `Bearer ${token}` },
    keepalive: true,
  }).catch(() => {
    window.addEventListener('online', () => endOnServer(token), { once: true })
  })
}

function storedToken(): string | undefined {
  const { access_token: token } = readStoredFields('localStorage', sessionKey)
  return typeof token === 'string' ? token : undefined
}

/** Where storage is forbidden, the client keeps the session in its memory, until the tab is closed or signOut(). */
function clearStored(): void {
  writeStored('localStorage', sessionKey, null)
}
