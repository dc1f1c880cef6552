import type { Transaction } from '../../postgres/database.ts'
import { onlyRow } from '../../postgres/rows.ts'
import type { AuthCall } from '../call.ts'
import type { SignInProviderSettings } from '../../env-providers.ts'
import type { SessionOrigin } from '../sessions.ts'
import type { ProviderIdentity } from './provider.ts'

/**
 * Gives or takes the admin role and memberships of spaces, as the provider's claims have them. The database refuses some changes, for example of the
 * last admin: the person is signed in all the same, and log and audit log say so.
 */
export async function takeClaimedRoles(
  db: Transaction,
  { info }: AuthCall,
  userId: string,
  { provider, identity }: Vouched,
): Promise<void> {
  await takeClaimedSpaces(db, info, userId, { provider, identity })
  if (identity.isAdmin === undefined) return
  const { refusal } = await onlyRow<{ refusal: string | null }>(
    db,
    'select app.take_claimed_role($1, $2, $3, $4) as refusal',
    [userId, identity.isAdmin, provider.id, info.requestId],
  )
  if (refusal === null) return
  info.log.warn(
    {
      provider: provider.id,
      user_id: userId,
      wanted: identity.isAdmin ? 'admin' : 'user',
      refusal,
    },
    'role of a claim refused',
  )
}

interface Vouched {
  provider: SignInProviderSettings
  identity: ProviderIdentity
}

async function takeClaimedSpaces(
  db: Transaction,
  { log }: AuthCall['info'],
  userId: string,
  { provider, identity }: Vouched,
): Promise<void> {
  if (identity.spaces === undefined) return
  const { refused } = await onlyRow<{ refused: string[] }>(
    db,
    'select app.take_claimed_spaces($1, $2, $3) as refused',
    [userId, JSON.stringify(identity.spaces), provider.id],
  )
  if (refused.length > 0)
    log.warn(
      { provider: provider.id, user_id: userId, spaces: refused },
      'memberships of a claim refused',
    )
}

/** The part of its claims that a session by a provider keeps: nothing, unless they decide about a role. */
export function claimsOf({ deps }: AuthCall, provider: string): SessionOrigin {
  const settings = deps.providers.get(provider)?.settings
  if (settings?.kind !== 'openid' || !(settings.adminClaim || settings.spaceClaim)) return {}
  const until = Date.now() + deps.config.auth.claimHours * 3_600_000
  return { claim_provider: provider, claims_until: new Date(until) }
}
