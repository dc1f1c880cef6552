import pg from 'pg'
import type { Logger } from '../log.ts'
import { errorCode } from '../primitives/error-code.ts'
import { inSpan } from '../tracing/span.ts'
import { createHistogram, type Histogram } from '../primitives/histogram.ts'
import type { ReplicaMeasures } from './replica-measures.ts'
import { type Caller, defaultStatementTimeout, settingsOf, throwEnded } from './begin.ts'
import { createOutageLines, type OutageLines } from './outage-lines.ts'
import { sendTogether, type Step } from './pipelined-query.ts'
import { createStatementNames, type StatementNames } from './statement-names.ts'

/** First argument of a query function, so that it joins its caller's transaction. */
export interface Transaction {
  /** On a replica that may lag: all that was committed before this time is there (monotonic milliseconds). */
  asOf?: number
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    text: string,
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>>
}

export interface Database {
  /** The only way to a connection: begins, switches to the role, sets the claims, runs `work`, commits. */
  transactionAs<T>(caller: Caller, work: (db: Transaction) => Promise<T>): Promise<T>
  load(): Record<PoolName, PoolLoad> & Partial<Record<`replica_${PoolName}`, PoolLoad>>
  /** Absent without a replica. */
  replica?: () => ReplicaMeasures
  close(): Promise<void>
}

/** `doors`: everything but visits, which have a separate pool. */
type PoolName = 'doors' | 'visits'

export interface PoolLoad {
  /** The most connections that it opens. */
  size: number
  open: number
  idle: number
  /** Transactions that wait for a connection. */
  waiting: number
  /** How long transactions took, in seconds, the wait for a connection included. */
  durations: Histogram
  /** Transactions that failed because the database could not be reached or did not answer in time. */
  failures: number
}

/** The database cannot be reached or does not answer in time. Doors answer 503 with Retry-After. */
export class DatabaseUnavailableError extends Error {
  name = 'DatabaseUnavailableError'
  /** The log has a line about it already (outage-lines.ts). */
  readonly isLogged: boolean

  constructor(message: string, options?: ErrorOptions & { isLogged?: boolean }) {
    super(message, options)
    this.isLogged = options?.isLogged ?? false
  }
}

/** Connections for visits that stay open, so that a look-up of names sets no timer to close one. */
const keptForVisits = 2
/** The error that ended a connection. */
const lost = new WeakMap<pg.PoolClient, Error>()

/** In seconds. */
const durationBounds = [0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface PoolSettings {
  /** Connections at most. */
  doors: number
  visits: number
  /** Default: 3 seconds. */
  connectTimeoutMs?: number
}

/**
 * Opens the pools. Visits have a separate one, so that a flood at the other doors never keeps a redirect or the
 * click applier from a connection.
 */
export function openDatabase(
  url: string,
  log: Logger,
  { doors: maxDoors, visits: maxVisits, connectTimeoutMs = 3_000 }: PoolSettings = {
    doors: 10,
    visits: 4,
  },
): Database {
  const outage = createOutageLines(log)
  const open = (max: number, min = 0) => {
    const pool = new pg.Pool({
      connectionString: url,
      max,
      min,
      connectionTimeoutMillis: connectTimeoutMs,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      application_name: 'hoplet',
    })
    pool.on('connect', (client) => client.on('error', (error) => lost.set(client, error)))
    // Without a listener the death of an idle connection would end the process.
    pool.on('error', ({ message }) => {
      // A stop does not wait until PostgreSQL has heard of the end of each.
      if (!pool.ending) log.debug({ reason: message }, 'idle database connection lost')
    })
    return { pool, max, durations: createHistogram(durationBounds), failures: 0 }
  }
  const doors = open(maxDoors)
  const visits = open(maxVisits, keptForVisits)
  const names = createStatementNames(() =>
    log.warn('prepared statements are off: the connection pooler does not keep them'),
  )
  const measured = async <T>({ role }: Caller, work: (client: pg.PoolClient) => Promise<T>) => {
    const used = role === 'hoplet_visits' ? visits : doors
    const startedAt = performance.now()
    try {
      const attributes = { 'db.system.name': 'postgresql', 'hoplet.role': role }
      const result = await inSpan('transaction', { kind: 'client', attributes }, () =>
        onConnection(used.pool, outage, work),
      )
      outage.succeeded(startedAt)
      return result
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) used.failures++
      throw error
    } finally {
      used.durations.observe((performance.now() - startedAt) / 1_000)
    }
  }

  return {
    transactionAs: (caller, work) => {
      const run = () => measured(caller, (client) => within(client, caller, names, work))
      if (!caller.isOneQuery || !caller.readOnly) return run()
      // Visitors wait for names: the other connection has no such statement, or the right one.
      return run().catch((error: Error) => {
        if (hasStalePlan(error.cause)) return run()
        throw error
      })
    },
    load: () => ({ doors: loadOf(doors), visits: loadOf(visits) }),
    async close() {
      await Promise.all([doors.pool.end(), visits.pool.end()])
    },
  }
}

interface MeasuredPool extends Pick<PoolLoad, 'durations' | 'failures'> {
  pool: pg.Pool
  max: number
}

function loadOf({ pool, max, durations, failures }: MeasuredPool): PoolLoad {
  const { totalCount: open, idleCount: idle, waitingCount: waiting } = pool
  return { size: max, open, idle, waiting, durations, failures }
}

async function onConnection<T>(
  pool: pg.Pool,
  outage: OutageLines,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await connect(pool, outage)
  let broken: Error | undefined
  try {
    return await work(client)
  } catch (thrown) {
    const error = lost.get(client) ?? thrown
    if (isUnavailable(error) || hasStalePlan(error)) {
      broken = error
      const isLogged = isUnavailable(error) && !(error instanceof DatabaseUnavailableError)
      if (isLogged) outage.failed(error)
      throw new DatabaseUnavailableError(error.message, { cause: error, isLogged })
    }
    throw error
  } finally {
    client.release(broken)
  }
}

async function connect(pool: pg.Pool, outage: OutageLines): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    outage.failed(error)
    throw new DatabaseUnavailableError('no database connection', { cause: error, isLogged: true })
  }
}

/** A hung server must not hang us: the client gives up a little after the server should have. */
function sender(client: pg.PoolClient, caller: Caller, names: StatementNames) {
  const timeoutMs = (caller.statementTimeout ?? defaultStatementTimeout) + 1_000
  const step = (text: string, values?: unknown[]): Step => ({
    text,
    values: values ?? [],
    name: values && names.nameFor(client, caller.role, text),
  })
  const settings = () => settingsOf(caller).map(({ text, values }) => step(text, values))
  const query: Transaction['query'] = (text, values) =>
    values
      ? sendTogether(client, [step(text, values)], timeoutMs)
      : client.query({ text, query_timeout: timeoutMs } as pg.QueryConfig)
  return {
    query,
    async begin() {
      const steps = [step('begin', []), ...settings()]
      await sendTogether(client, steps, timeoutMs).catch(throwEnded(caller))
    },
    /** The whole transaction, in one round trip. */
    async queryOnly<Row extends pg.QueryResultRow>(text: string, values?: unknown[]) {
      const steps = [...settings(), step(text, values)]
      return sendTogether<Row>(client, steps, timeoutMs).catch(throwEnded(caller))
    },
  }
}

async function within<T>(
  client: pg.PoolClient,
  caller: Caller,
  names: StatementNames,
  work: (db: Transaction) => Promise<T>,
): Promise<T> {
  const { query, begin, queryOnly } = sender(client, caller, names)
  try {
    if (caller.isOneQuery) return await work({ query: queryOnly })
    await begin()
    const result = await work({ query })
    await query('commit')
    return result
  } catch (error) {
    names.noticeRefusal(error)
    if (!caller.isOneQuery && !isUnavailable(error)) await query('rollback')
    throw error
  }
}

/**
 * A pooler took away the connection that knew a prepared statement, a migration changed its columns, or the next version
 * replaced a function that the statement was about to call. The same transaction succeeds on a fresh connection.
 */
function hasStalePlan(error: unknown): error is Error {
  if (!(error instanceof pg.DatabaseError)) return false
  const changed = error.code === '0A000' && /cached plan/.test(error.message)
  const replaced = error.code === 'XX000' && error.message.startsWith('cache lookup failed for ')
  return changed || replaced || error.code === '26000' || error.code === '42P05'
}

/** True for errors that say the server is gone, going, starting or not answering, and not that a query was wrong. */
export function isUnavailable(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  if (error instanceof DatabaseUnavailableError) return true
  const code = errorCode(error) ?? ''
  if (error instanceof pg.DatabaseError) return /^(08|53|57P|25P03)/.test(code)
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_)/.test(code) ||
    /Connection terminated|timeout expired|Query read timeout|not queryable|connection error/i.test(
      error.message,
    )
  )
}
