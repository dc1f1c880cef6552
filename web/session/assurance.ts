import type { Session } from '@supabase/auth-js'

/**
 * True for a session that still has to pass the person's second factor: the server lets it do nothing but that, and
 * the app treats its holder as signed out. It chooses a screen and grants nothing.
 */
export function lacksSecondFactor(session: Session): boolean {
  const isEnrolled = session.user.factors?.some(({ status }) => status === 'verified') === true
  return isEnrolled && levelOf(session.access_token) !== 'aal2'
}

function levelOf(token: string): unknown {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const claims: unknown = JSON.parse(atob(payload))
    return typeof claims === 'object' && claims !== null && 'aal' in claims ? claims.aal : undefined
  } catch {
    return undefined
  }
}
