import { limitKey } from '../../http/client-address.ts'
import type { Transaction } from '../../postgres/database.ts'

/** Wrong answers that one network may give for one account in five minutes. */
const maxPerNetwork = 10
/** Wrong answers that all networks may give together in an hour, except where the owner is signed in. */
const maxFromUnknownNetworks = 20

/**
 * Whether a person who knows the password may try one more code. A code has a million values, three of them valid at a time,
 * so at 20 wrong ones an hour guessing takes months. The challenges store the failures, so the limits hold across processes
 * and restarts. A network with an aal2 session of the account is the owner's: only its own wrong codes count there, so that
 * nobody elsewhere can keep the owner out.
 *
 * @returns undefined, or the seconds to wait
 */
export async function waitForCodes(
  db: Transaction,
  userId: string,
  address: string,
): Promise<number | undefined> {
  const network = limitKey(address)
  const { rows } = await db.query<{ here: number; everywhere: number; known: (string | null)[] }>(
    `select
        coalesce(sum(c.failures) filter (where c.address = $2 and c.created_at > now() - interval '5 minutes'), 0)::int as here,
        coalesce(sum(c.failures), 0)::int as everywhere,
        array(select ip from auth.sessions where user_id = $1 and aal = 'aal2') as known
      from auth.factors f join auth.challenges c on c.factor_id = f.id
      where f.user_id = $1 and c.created_at > now() - interval '1 hour'`,
    [userId, network],
  )
  const { here = 0, everywhere = 0, known = [] } = rows[0] ?? {}
  if (here >= maxPerNetwork) return 60
  const isKnown = known.some((home) => home !== null && limitKey(home) === network)
  return everywhere >= maxFromUnknownNetworks && !isKnown ? 300 : undefined
}
