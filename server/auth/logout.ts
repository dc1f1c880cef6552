import { transaction } from './call.ts'
import { authErrors } from './errors.ts'
import { isEnrolled } from './factors/aal.ts'
import { recordEvent } from './record-event.ts'
import { endSessions } from './sessions.ts'
import type { SignedInCall } from './signed-in.ts'

/**
 * POST /logout?scope=global|local|others: ends all sessions (the default), this one, or all others. A session without the
 * second factor can end only itself: with scope `global` it does, and the answer says that the others are still there.
 */
export async function logOut(call: SignedInCall): Promise<Response> {
  const scope = call.url.searchParams.get('scope') || 'global'
  const { user, session } = call
  const which = {
    global: { user: user.id },
    local: { user: user.id, only: session.id },
    others: { user: user.id, except: session.id },
  }
  if (!isScope(scope)) throw authErrors.invalid('Unsupported logout scope')
  const lacksFactor = scope !== 'local' && isEnrolled(user.factors) && session.aal !== 'aal2'
  if (lacksFactor && scope === 'others') throw authErrors.insufficientAal()
  const reached = lacksFactor ? 'local' : scope
  const ended = await transaction(call, (db) => endSessions(db, which[reached]))
  recordEvent(call, 'logout', { user_id: user.id, session_id: session.id, scope: reached, ended })
  if (lacksFactor) throw authErrors.insufficientAal()
  return new Response(null, { status: 204 })
}

function isScope(scope: string): scope is 'global' | 'local' | 'others' {
  return scope === 'global' || scope === 'local' || scope === 'others'
}
