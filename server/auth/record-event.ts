import type { SecurityEventName } from '#domain/access/security-events.ts'
import { sha256 } from '../primitives/sha256.ts'
import type { AuthCall } from './call.ts'
import type { SignedInCall } from './guards.ts'

/** Replaces an email address in the security log: the same address gives the same mark, which does not reveal it. */
export function emailMark(email: string): string {
  return sha256(`hoplet ${email}`).toString('hex').slice(0, 16)
}

interface EventFacts {
  user_id?: string | undefined
  session_id?: string | undefined
  /** An {@link emailMark}. */
  account?: string
  [fact: string]: unknown
}

/**
 * Records a security event: a log line now, and a moment later a row that the person sees under Settings
 * (protection/security-events.ts). The facts must not hold a secret or an address in clear.
 */
export function recordEvent(
  { info, deps, request }: Pick<AuthCall, 'info' | 'deps' | 'request'>,
  event: SecurityEventName,
  facts: EventFacts,
): void {
  info.log.info({ security: event, address: info.address, ...facts }, event)
  const { user_id = null, session_id = null, ...more } = facts
  deps.securityEvents.add({
    event,
    user_id,
    session_id,
    address: info.address,
    user_agent: request.headers.get('user-agent'),
    facts: { ...more, request_id: info.requestId },
  })
}

/** Records an event of the signed-in person's account, in this session. */
export function recordOwnEvent(
  call: SignedInCall,
  event: SecurityEventName,
  facts: EventFacts = {},
): void {
  recordEvent(call, event, { user_id: call.user.id, session_id: call.session.id, ...facts })
}
