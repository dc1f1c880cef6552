import type { Context } from '../context.ts'
import { noReplica } from '../postgres/replica-measures.ts'
import { counter, counterOf, type Family, gauge, histogram, inSeconds } from './families.ts'

/** Facts about the database in the memory of this process. */
export function databaseMetrics({
  database,
  visits,
}: Pick<Context, 'database' | 'visits'>): Family[] {
  const { heartbeat, isListening } = visits.measures()
  const { roundTripMs, clockSkewMs } = heartbeat
  const replica = database.replica?.()
  const pools = Object.entries(database.load())
  const perPool = (valueOf: (load: (typeof pools)[number][1]) => number) =>
    pools.map(([pool, load]): [{ pool: string }, number] => [{ pool }, valueOf(load)])
  return [
    gauge(
      'hoplet_database_up',
      '1 while the database answers the heartbeat and the look-ups of visits.',
      !visits.status().databaseDown,
      'min',
    ),
    gauge(
      'hoplet_database_listening',
      '1 while the connection for notifications is up.',
      isListening,
      'min',
    ),
    gauge(
      'hoplet_database_heartbeat_seconds',
      'Duration of the last heartbeat, sent every five seconds; absent after a failed one.',
      inSeconds(roundTripMs),
    ),
    gauge(
      'hoplet_database_clock_skew_seconds',
      "How far the clock of this machine is ahead of the database's.",
      inSeconds(clockSkewMs),
    ),
    gauge(
      'hoplet_database_pool_size',
      'The most connections of a pool.',
      perPool(({ size }) => size),
      'sum',
    ),
    gauge(
      'hoplet_database_connections',
      'Open connections of a pool.',
      [
        ...pools.map(([pool, { idle }]): [Record<string, string>, number] => [
          { pool, state: 'idle' },
          idle,
        ]),
        ...pools.map(([pool, { open, idle }]): [Record<string, string>, number] => [
          { pool, state: 'busy' },
          open - idle,
        ]),
      ],
      'sum',
    ),
    gauge(
      'hoplet_database_waiting',
      'Transactions that wait for a connection.',
      perPool(({ waiting }) => waiting),
      'sum',
    ),
    counter(
      'hoplet_database_failures_total',
      'Transactions that failed because the database could not be used.',
      perPool(({ failures }) => failures),
    ),
    gauge(
      'hoplet_database_replica_up',
      '1 while reads go to the replica of DATABASE_READ_URL; absent without one.',
      replica?.isUp,
      'min',
    ),
    gauge(
      'hoplet_database_replica_lag_seconds',
      'How far the replica is behind the primary; absent while that is not known.',
      replica?.lagSeconds,
    ),
    counterOf(
      'hoplet_database_reads_total',
      'Reads that a replica may answer, by how fresh they must be and by who answered.',
      ['freshness', 'target'],
      (replica ?? noReplica).reads,
    ),
    counterOf(
      'hoplet_database_replica_fallbacks_total',
      'Reads that the primary got because the replica could not have them, by reason.',
      ['reason'],
      (replica ?? noReplica).fallbacks,
    ),
    histogram(
      'hoplet_database_transaction_seconds',
      'Duration of transactions, the wait for a connection included.',
      pools.map(([pool, { durations }]) => [{ pool }, durations.read()]),
    ),
  ]
}
