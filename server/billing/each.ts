import { DatabaseUnavailableError } from '../postgres/database.ts'
import type { BillingParts } from './parts.ts'
import { factsOf, isAway } from './stripe-client.ts'

const atOnce = 4

/** What a run of the reconcile job found. */
export interface Tally {
  /** Customers whose plan was wrong. */
  drift: number
  /** Customers that could not be read. */
  failures: number
}

export function failed(parts: BillingParts, tally: Tally, customer: string, error: unknown): void {
  tally.failures++
  parts.log.error({ ...factsOf(error), customer }, 'a customer could not be read')
  // No use in asking for the others.
  if (error instanceof DatabaseUnavailableError || isAway(error)) throw error
}

/** Works on a few at a time; the first failure that is thrown ends it. */
export async function each<T>(
  parts: Pick<BillingParts, 'closing'>,
  list: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...list]
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        if (parts.closing) throw new Error('the server is going down')
        await work(item)
      } catch (error) {
        waiting.length = 0
        throw error
      }
    }
  }
  const results = await Promise.allSettled(Array.from({ length: atOnce }, worker))
  const broken = results.find((result) => result.status === 'rejected')
  if (broken) throw broken.reason
}
