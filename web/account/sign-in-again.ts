import { auth } from '#web/client.ts'

/**
 * Gives this browser a session of now, for acts that the server wants a recent sign-in for; the one before it ends.
 * Answers why it did not work, or null.
 */
export async function signInAgain(email: string, password: string): Promise<string | null> {
  const { data: before } = await auth.getSession()
  const { error } = await auth.signInWithPassword({ email, password })
  if (error !== null) return error.message
  if (before.session !== null) await auth.admin.signOut(before.session.access_token, 'local')
  return null
}

/** True when the server refuses an act until the person has signed in again. */
export function needsSignInAgain(error: unknown): boolean {
  return error instanceof Error && 'hint' in error && error.hint === 'reauthentication_needed'
}
