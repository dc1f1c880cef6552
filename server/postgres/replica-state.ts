import type { Transaction } from './database.ts'
import { ifDefined } from '../primitives/if-defined.ts'
import { onlyRow } from './rows.ts'

/** State of a server, read in one query. */
export interface ServerState {
  inRecovery: boolean
  /** Position in the write-ahead log: replayed by a replica, or written by a primary. Undefined where it is unknown. */
  position: bigint | undefined
  /** When this PostgreSQL process started: two addresses with the same one lead to the same server. */
  startedAt: string
}

// On a primary: the position that no visible commit is after. Unflushed records were not sent to a replica either, and
// become visible earlier only with asynchronous commits.
const stateQuery = `select pg_is_in_recovery() as "inRecovery",
  (case when pg_is_in_recovery() then pg_last_wal_replay_lsn()
    when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
    else pg_current_wal_flush_lsn() end)::text as position,
  extract(epoch from pg_postmaster_start_time())::text as "startedAt"`

export async function readServerState(db: Transaction): Promise<ServerState> {
  const row = await onlyRow<Omit<ServerState, 'position'> & { position: string | null }>(
    db,
    stateQuery,
  )
  return { ...row, position: ifDefined(row.position, parsePosition) }
}

/** `16/B374D848` as a number. */
function parsePosition(text: string): bigint {
  const [high = '', low = ''] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

/** The last checkpoint's timeline: a failover begins a new one. */
export async function readTimeline(db: Transaction): Promise<number | undefined> {
  const { rows } = await db.query<{ timeline: number }>(
    'select timeline_id as timeline from pg_control_checkpoint()',
  )
  return rows[0]?.timeline
}

const maxSamples = 120

/** When the primary was at which position, so that a replica's position can be told as a time. */
export function createPositionHistory() {
  const samples: { at: number; position: bigint }[] = []
  return {
    /** @param at milliseconds, monotonic; before the position was asked for */
    add(at: number, position: bigint): void {
      const last = samples.at(-1)
      // A standby that was promoted can be behind its former primary: another history begins.
      if (last && position < last.position) samples.length = 0
      samples.push({ at, position })
      if (samples.length > maxSamples) samples.shift()
    },
    clear(): void {
      samples.length = 0
    },
    /** The latest known time before which everything that was committed is at or before this position. */
    asOf: (position: bigint): number | undefined =>
      samples.findLast((sample) => sample.position <= position)?.at,
    /** When the primary was last asked. */
    lastAt: (): number | undefined => samples.at(-1)?.at,
  }
}
