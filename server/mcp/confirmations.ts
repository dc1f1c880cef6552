import { constantTimeEqual } from '../primitives/constant-time.ts'
import type { SecretBox } from '../auth/secret-box.ts'
import type { Agent } from './bearer.ts'

const lifetimeMs = 5 * 60_000

/** Scope of a confirmation: this call, by this app for this person. */
interface Call {
  tool: string
  /** The arguments, and the state that was shown. */
  about: unknown
}

export type Confirmations = ReturnType<typeof confirmationsFor>

/**
 * Two-step calls (docs/decisions/0065): the first is answered with a text for the person and a token that the second must have.
 * Nothing is kept: the token is its time and a keyed digest of all that it is good for.
 */
export function confirmationsFor(
  secretBox: Pick<SecretBox, 'digest'>,
  { accountId, personId, clientId, identity }: Agent,
  now: () => number = Date.now,
) {
  const session = identity.claims['session_id']
  const tokenOf = ({ tool, about }: Call, until: string) =>
    `${until}.${secretBox.digest(JSON.stringify([accountId, personId, clientId, session, tool, about, until]), 'mcp confirmation')}`
  return {
    issue: (call: Call): string => tokenOf(call, (now() + lifetimeMs).toString(36)),
    isGood(call: Call, confirmation: string): boolean {
      const [until = ''] = confirmation.split('.')
      const endsAt = Number.parseInt(until, 36)
      return endsAt > now() && constantTimeEqual(confirmation, tokenOf(call, until))
    },
  }
}
