import type { SecurityEventName } from '#domain/access/security-events.ts'
import type { Logger } from '../../log.ts'
import { type Database, DatabaseUnavailableError } from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'
import { startPeriodicJob } from '../../primitives/jobs.ts'

/** Something that happened to an account, for its owner and for the operator. Never a secret or an address in clear. */
interface SecurityEvent {
  at: string
  event: SecurityEventName
  user_id: string | null
  session_id: string | null
  /** The client's network address. */
  address: string
  user_agent: string | null
  facts: Record<string, unknown>
}

const delayMs = 250
/** How many events an outage of the database may pile up. Every event is in the log of the process as well. */
const maxWaiting = 10_000
const batchSize = 500

/** Stores events in batches, a moment later. An outage of the database only delays them. */
export function createSecurityEvents({ database, log }: { database: Database; log: Logger }) {
  const waiting: SecurityEvent[] = []
  let closed = false

  const drop = (error: unknown, events: number) =>
    log.error({ err: error, events }, 'security events are in this log only')

  /** A batch with an event that the database refuses is stored one by one, so that only that event is lost. */
  const store = async (events: SecurityEvent[]): Promise<void> => {
    try {
      await insertEvents(database, events)
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) throw error
      if (events.length === 1) return drop(error, 1)
      for (const event of events) await store([event])
    }
  }

  const storeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const events = waiting.splice(0, batchSize)
      try {
        await store(events)
      } catch (error) {
        if (closed) return drop(error, events.length)
        waiting.unshift(...events)
        return
      }
    }
  }
  const storing = startPeriodicJob(log, 'store security events', { everyMs: delayMs }, storeAll)

  return {
    /** Never waits for the database. */
    add(event: Omit<SecurityEvent, 'at'>): void {
      if (waiting.length >= maxWaiting) {
        waiting.shift()
        drop(undefined, 1)
      }
      waiting.push({ at: new Date().toISOString(), ...event })
    },
    /** Resolves when all events so far are stored, or cannot be stored for now. */
    flush: storing.run,
    async close(): Promise<void> {
      await storing.close()
      closed = true
      await storeAll()
    },
  }
}

/** Facts of more than 2 kB are left out: they are in the log of the process. */
async function insertEvents(database: Database, events: readonly SecurityEvent[]): Promise<void> {
  await queryAs(
    database,
    { role: 'hoplet_auth' },
    `insert into auth.security_events (at, user_id, event, address, user_agent, session_id, facts)
      select at, user_id, left(event, 80), left(address, 64), left(user_agent, 512), session_id,
          case when octet_length(facts::text) <= 2048 then facts else jsonb_build_object('request_id', facts -> 'request_id') end
        from jsonb_to_recordset($1) as e(at timestamptz, user_id uuid, event text, address text, user_agent text,
          session_id uuid, facts jsonb)`,
    [JSON.stringify(events)],
  )
}
