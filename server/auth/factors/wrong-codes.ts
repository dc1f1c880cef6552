import { limitKey } from '../../http/client-address.ts'
import type { Transaction } from '../../postgres/database.ts'

/** Wrong answers that one network may give for one account in five minutes. */
const perNetwork = 10
/** Wrong answers that all networks may give together in an hour, but for those where the owner is signed in. */
const ofStrangers = 20

/**
 * Whether somebody who knows the password may try one more code. A code has a million values and three are good at a
 * time, so at 20 wrong ones an hour guessing takes months. The challenges themselves are the memory: it holds across
 * processes and restarts. A network that has a session of the account at aal2 is the owner's, and only its own wrong
 * codes count there: nobody elsewhere can keep the owner out of it.
 *
 * @returns undefined, or the seconds to wait
 */
export async function waitForCodes(
  db: Transaction,
  userId: string,
  address: string,
): Promise<number | undefined> {
  const network = limitKey(address)
  const { rows } = await db.query<{ here: number; everywhere: number; homes: (string | null)[] }>(
    `select
        coalesce(sum(c.failures) filter (where c.address = $2 and c.created_at > now() - interval '5 minutes'), 0)::int as here,
        coalesce(sum(c.failures), 0)::int as everywhere,
        array(select ip from auth.sessions where user_id = $1 and aal = 'aal2') as homes
      from auth.factors f join auth.challenges c on c.factor_id = f.id
      where f.user_id = $1 and c.created_at > now() - interval '1 hour'`,
    [userId, network],
  )
  const { here = 0, everywhere = 0, homes = [] } = rows[0] ?? {}
  if (here >= perNetwork) return 60
  const isHome = homes.some((home) => home !== null && limitKey(home) === network)
  return everywhere >= ofStrangers && !isHome ? 300 : undefined
}
