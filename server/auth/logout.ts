import { audit, type SignedInCall, transaction } from './call.ts'
import { authErrors } from './errors.ts'
import { endSessions } from './sessions.ts'

/** POST /logout?scope=global|local|others: ends all sessions (the default), this one, or all but this one. */
export async function logOut(call: SignedInCall): Promise<Response> {
  const scope = call.url.searchParams.get('scope') || 'global'
  const { user, session } = call
  const which = {
    global: { user: user.id },
    local: { user: user.id, only: session.id },
    others: { user: user.id, except: session.id },
  }
  if (!isScope(scope)) throw authErrors.invalid('Unsupported logout scope')
  const ended = await transaction(call, (db) => endSessions(db, which[scope]))
  audit(call, 'logout', { user_id: user.id, session_id: session.id, scope, ended })
  return new Response(null, { status: 204 })
}

function isScope(scope: string): scope is 'global' | 'local' | 'others' {
  return scope === 'global' || scope === 'local' || scope === 'others'
}
