import type { Database } from '../../postgres/database.ts'
import { LeaseHeldError, withLease } from '../../postgres/leases.ts'
import { replaceError } from '../../primitives/caught-error.ts'

const seconds = 60
/** `move`: copies hits. `pause`: compares the stores while nothing is delivered or deleted. */
const refusals = {
  move: 'Another `npm run move-clicks` is at work. Run this one again when it has ended.',
  pause: 'Another process compares ClickHouse with PostgreSQL.',
} as const

interface ClickLeaseOptions {
  name: keyof typeof refusals
  /** How long to wait for another holder. One that was killed has it for a minute. */
  waitMs: number
  onWait?: () => void
}

/** @throws {Error} when another process has the lease for longer than `waitMs`, or it was lost before the end */
export function withClickLease<Result>(
  database: Database,
  { name, ...options }: ClickLeaseOptions,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lease = { ...options, name: `clicks:${name}`, role: 'hoplet_worker', seconds } as const
  return withLease(database, lease, work).catch(
    replaceError(LeaseHeldError, (cause) => new Error(refusals[name], { cause })),
  )
}
