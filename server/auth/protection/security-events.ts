import type { Logger } from '../../log.ts'
import { type Database, DatabaseUnavailableError } from '../../postgres/database.ts'

/** Something that happened to an account, for its owner and for the operator. Never a secret, never an address in clear. */
export interface SecurityEvent {
  event: string
  user_id: string | null
  session_id: string | null
  /** Where it came from. */
  address: string
  user_agent: string | null
  facts: Record<string, unknown>
}

/** The security log in the database (auth.security_events). Whoever adds to it never waits for it. */
export interface SecurityEvents {
  add(event: SecurityEvent): void
  /** Ends when everything that was added so far is written, or cannot be for now. */
  flush(): Promise<void>
  close(): Promise<void>
}

const pause = 250
/** What an outage of the database may pile up; each event stands in the log of the process anyway. */
const most = 10_000
const batch = 500

/** Writes events in batches, a moment later; an outage of the database only delays them. */
export function createSecurityEvents(surroundings: {
  database: Database
  log: Logger
}): SecurityEvents {
  const { database, log } = surroundings
  const waiting: (SecurityEvent & { at: string })[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let closed = false

  const schedule = () => {
    if (timer || closed) return
    timer = setTimeout(() => {
      timer = undefined
      void flush()
    }, pause)
    timer.unref()
  }

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const events = waiting.splice(0, batch)
      try {
        await write(database, events)
      } catch (error) {
        if (error instanceof DatabaseUnavailableError && !closed) {
          waiting.unshift(...events)
          return schedule()
        }
        log.error({ err: error, events: events.length }, 'security events are in this log only')
      }
    }
  }

  const flush = async (): Promise<void> => {
    // What was added while a batch is on its way goes with the next one.
    await writing
    writing ??= writeAll().finally(() => (writing = undefined))
    await writing
  }

  return {
    add(event) {
      if (waiting.length >= most) {
        waiting.shift()
        log.error({ events: 1 }, 'security events are in this log only')
      }
      waiting.push({ at: new Date().toISOString(), ...event })
      schedule()
    },
    flush,
    async close() {
      closed = true
      clearTimeout(timer)
      await flush()
    },
  }
}

async function write(database: Database, events: readonly SecurityEvent[]): Promise<void> {
  await database.transactionAs({ role: 'hoplet_auth' }, (db) =>
    db.query(
      `insert into auth.security_events (at, user_id, event, address, user_agent, session_id, facts)
        select at, user_id, left(event, 80), left(address, 64), left(user_agent, 512), session_id, coalesce(facts, '{}')
          from jsonb_to_recordset($1) as e(at timestamptz, user_id uuid, event text, address text, user_agent text,
            session_id uuid, facts jsonb)`,
      [JSON.stringify(events)],
    ),
  )
}
