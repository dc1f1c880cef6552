import type { Session } from '@supabase/auth-js'

/**
 * True for a session that still has to pass the person's second factor: the server lets it do nothing but that, and
 * the app treats its holder as signed out. It chooses a screen and grants nothing.
 */
export function lacksSecondFactor(session: Session): boolean {
  const isEnrolled = session.user.factors?.some(({ status }) => status === 'verified') === true
  return isEnrolled && tokenClaims(session.access_token)['aal'] !== 'aal2'
}

/** The claims of an access token, unverified; {} without any. */
export function tokenClaims(token: string): Record<string, unknown> {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    return Object(JSON.parse(atob(payload))) as Record<string, unknown>
  } catch {
    return {}
  }
}
