import { createCounts, type ReadableCounts } from '../primitives/counts.ts'

export const freshnesses = ['lagging', 'caught-up'] as const
export const readTargets = ['replica', 'primary'] as const
/**
 * Why a read went to the primary. `unused`: the replica was known to be no use; `behind`: it had not replayed enough;
 * `conflict`: replay cancelled the read; `slow`: no answer in time; `failed`: down, refusing, or in another way wrong.
 */
export const fallbackReasons = ['unused', 'behind', 'conflict', 'slow', 'failed'] as const

export interface ReplicaMeasures {
  /** Whether reads go to it now. */
  isUp: boolean
  /** Undefined while unknown. */
  lagSeconds: number | undefined
  /** By freshness and target. */
  reads: ReadableCounts
  /** By reason. */
  fallbacks: ReadableCounts
}

/** For a database without a replica: counts nothing. */
export const noReplica: Pick<ReplicaMeasures, 'reads' | 'fallbacks'> = {
  reads: createCounts(freshnesses, readTargets),
  fallbacks: createCounts(fallbackReasons),
}
