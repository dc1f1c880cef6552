import { DatabaseUnavailableError } from '../postgres/database.ts'
import type { BillingDeps } from './deps.ts'
import { errorFacts, PaymentProviderError } from './provider.ts'

const maxParallel = 4

/** Result of a reconcile run. */
export interface Tally {
  /** Customers with a wrong plan. */
  drift: number
  /** Customers that could not be read. */
  failures: number
}

/**
 * Works on a few customers at a time. A failure is counted and logged; when the provider or the database is down it ends
 * the batch.
 */
export async function forEachCustomer<T extends { customer_id: string | null }>(
  deps: Pick<BillingDeps, 'closing' | 'log'>,
  tally: Tally,
  customers: readonly T[],
  work: (customer: T) => Promise<void>,
): Promise<void> {
  const waiting = [...customers]
  const worker = async () => {
    for (let customer = waiting.shift(); customer; customer = waiting.shift()) {
      if (deps.closing) throw new Error('the server is shutting down')
      try {
        await work(customer)
      } catch (error) {
        tally.failures++
        const facts = { ...errorFacts(error), customer: customer.customer_id }
        deps.log.error(facts, 'a customer could not be read')
        if (!isDown(error)) continue
        waiting.length = 0
        throw error
      }
    }
  }
  const results = await Promise.allSettled(Array.from({ length: maxParallel }, worker))
  const rejected = results.find((result) => result.status === 'rejected')
  if (rejected) throw rejected.reason
}

/** True when the next customer would fail as well. */
function isDown(error: unknown): boolean {
  if (error instanceof PaymentProviderError)
    return ['unreachable', 'busy', 'failed'].includes(error.reason)
  return error instanceof DatabaseUnavailableError
}
