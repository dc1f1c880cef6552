import { limitKey } from '../../http/client-address.ts'
import type { BucketPolicy } from '../../primitives/token-bucket.ts'
import type { SignedInCall } from '../signed-in.ts'
import { authErrors } from '../errors.ts'

/** Messages cost the operator money. Each limit holds for all factors of an account together. */
const perAccount: BucketPolicy = { name: 'sms account', burst: 10, windowSeconds: 3_600 }
const perClient: BucketPolicy = { name: 'sms client', burst: 20, windowSeconds: 3_600 }
/** To one number, from all accounts. */
const perNumber: BucketPolicy = { name: 'sms', burst: 5, windowSeconds: 3_600 }
/** From all accounts and addresses. */
const perServer: BucketPolicy = { name: 'sms server', burst: 500, windowSeconds: 3_600 }

/**
 * Admits one message. A refused message counts nowhere, so that one person cannot use up the limits of others beyond their
 * own.
 *
 * @throws {AuthError} 429 over_sms_send_rate_limit
 */
export async function admitMessage(call: SignedInCall, phone: string): Promise<void> {
  const { budgets } = call.deps
  const bounds = [
    [perAccount, call.user.id],
    [perClient, limitKey(call.info.address)],
    [perNumber, phone],
    [perServer, 'all'],
  ] as const
  for (const [index, [policy, subject]] of bounds.entries()) {
    const wait = await budgets.take(policy, subject)
    if (wait === undefined) continue
    for (const [taken, of] of bounds.slice(0, index)) await budgets.giveBack(taken, of)
    if (policy === perServer) call.info.log.warn('all messages of this hour are used up')
    throw authErrors.smsTooSoon(wait)
  }
}
