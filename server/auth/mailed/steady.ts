import { setTimeout as sleep } from 'node:timers/promises'

/** Several times what the work takes, in milliseconds. */
const steadyTime = 100

/**
 * Does something that takes a little longer for an address with an account (its row is locked and changed, a token is
 * written), and gives the answer after a time that is the same for all.
 */
export async function inSteadyTime<Result>(work: () => Promise<Result>): Promise<Result> {
  const over = sleep(steadyTime)
  try {
    return await work()
  } finally {
    await over
  }
}
