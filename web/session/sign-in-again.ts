import type { Session } from '@supabase/auth-js'
import { auth, createEphemeralAuthClient } from '#web/api/auth-client.ts'
import { tokenClaims, lacksSecondFactor } from './assurance.ts'

const sessionIdOf = ({ access_token: token }: Session) => tokenClaims(token)['session_id']

type ForgetfulAuth = ReturnType<typeof createEphemeralAuthClient>

type Outcome =
  | { kind: 'done' }
  /** The new session waits in `client`; {@link takeOver} makes it this browser's. */
  | { kind: 'second-factor'; client: ForgetfulAuth }
  | { kind: 'refused'; why: string }

/**
 * Gives this browser a session of now, for acts that the server wants a recent sign-in for; the one before it ends.
 * A person with a second factor shows it before the sessions change places.
 */
export async function signInAgain(
  email: string,
  password: string,
  options: { captchaToken?: string },
): Promise<Outcome> {
  const client = createEphemeralAuthClient()
  const { data, error } = await client.signInWithPassword({ email, password, options })
  if (error !== null) return { kind: 'refused', why: error.message }
  if (lacksSecondFactor(data.session)) return { kind: 'second-factor', client }
  const why = await takeOver(client)
  return why === null ? { kind: 'done' } : { kind: 'refused', why }
}

/**
 * Calls back when another tab has signed the person in again, and ends the session before on the server.
 *
 * @returns a function that stops waiting
 */
export function whenSignedInAgain(personId: string, callBack: () => void): () => void {
  let before: Session | undefined
  const { data } = auth.onAuthStateChange((_event, session) => {
    if (session?.user.id !== personId) return
    before ??= session
    if (sessionIdOf(session) === sessionIdOf(before)) return
    const ended = before.access_token
    data.subscription.unsubscribe()
    // The client's callback must not wait for the client.
    setTimeout(() => void auth.admin.signOut(ended, 'local').then(callBack), 0)
  })
  return () => data.subscription.unsubscribe()
}

/** @returns why it did not work, or null */
export async function takeOver(client: ForgetfulAuth): Promise<string | null> {
  const { data: fresh } = await client.getSession()
  const { data: before } = await auth.getSession()
  if (fresh.session === null) return 'You were signed out. Please try again.'
  const { error } = await auth.setSession(fresh.session)
  if (error !== null) return error.message
  // Showing a second factor has ended it already.
  if (before.session !== null) await auth.admin.signOut(before.session.access_token, 'local')
  return null
}

/** True when the server refuses an act until the person has signed in again. */
export function needsSignInAgain(error: unknown): boolean {
  return error instanceof Error && 'hint' in error && error.hint === 'reauthentication_needed'
}
