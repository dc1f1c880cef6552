import type { Context } from '../context.ts'
import { noReplica } from '../postgres/replica-measures.ts'
import { inSeconds, countsBy, type Readings } from './families.ts'

/** Facts about the database in the memory of this process. */
export function databaseMetrics({
  database,
  visits,
}: Pick<Context, 'database' | 'visits'>): Readings {
  const { heartbeat, isListening } = visits.measures()
  const { roundTripMs, clockSkewMs } = heartbeat
  const replica = database.replica?.()
  const { reads, fallbacks } = replica ?? noReplica
  const pools = Object.entries(database.load())
  const perPool = (valueOf: (load: (typeof pools)[number][1]) => number) =>
    pools.map(([pool, load]): [{ pool: string }, number] => [{ pool }, valueOf(load)])
  return {
    hoplet_database_up: !visits.status().databaseDown,
    hoplet_database_listening: isListening,
    hoplet_database_heartbeat_seconds: inSeconds(roundTripMs),
    hoplet_database_clock_skew_seconds: inSeconds(clockSkewMs),
    hoplet_database_pool_size: perPool(({ size }) => size),
    hoplet_database_connections: [
      ...pools.map(([pool, { idle }]): [Record<string, string>, number] => [
        { pool, state: 'idle' },
        idle,
      ]),
      ...pools.map(([pool, { open, idle }]): [Record<string, string>, number] => [
        { pool, state: 'busy' },
        open - idle,
      ]),
    ],
    hoplet_database_waiting: perPool(({ waiting }) => waiting),
    hoplet_database_failures_total: perPool(({ failures }) => failures),
    hoplet_database_replica_up: replica?.isUp,
    hoplet_database_replica_lag_seconds: replica?.lagSeconds,
    hoplet_database_reads_total: countsBy(['freshness', 'target'], reads),
    hoplet_database_replica_fallbacks_total: countsBy(['reason'], fallbacks),
    hoplet_database_transaction_seconds: {
      histograms: pools.map(([pool, { durations }]) => [{ pool }, durations.read()]),
    },
  }
}
