import { DatabaseUnavailableError } from '../postgres/database.ts'
import type { BillingDeps } from './deps.ts'
import { errorFacts, isProviderDown } from './provider.ts'

const maxParallel = 4

/** What a reconcile run found. */
export interface Tally {
  /** Customers whose plan was wrong. */
  drift: number
  /** Customers that could not be read. */
  failures: number
}

/** Counts and logs a failure. Throws it when the provider or the database is down: the batch ends. */
export function countFailure(
  deps: BillingDeps,
  tally: Tally,
  customer: string,
  error: unknown,
): void {
  tally.failures++
  deps.log.error({ ...errorFacts(error), customer }, 'a customer could not be read')
  if (error instanceof DatabaseUnavailableError || isProviderDown(error)) throw error
}

/** Works on a few at a time; the first error ends the batch. */
export async function forEachCustomer<T>(
  deps: Pick<BillingDeps, 'closing'>,
  list: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...list]
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        if (deps.closing) throw new Error('the server is shutting down')
        await work(item)
      } catch (error) {
        waiting.length = 0
        throw error
      }
    }
  }
  const results = await Promise.allSettled(Array.from({ length: maxParallel }, worker))
  const rejected = results.find((result) => result.status === 'rejected')
  if (rejected) throw rejected.reason
}
