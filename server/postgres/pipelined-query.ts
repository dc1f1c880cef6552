import type { PoolClient, QueryResult, QueryResultRow } from 'pg'
import pg from 'pg'

/** One statement of a message. Values before the last statement are texts or null. */
export interface Step {
  text: string
  values: readonly unknown[]
  /** Name of the statement that the connection keeps; without one it is parsed each time. */
  name?: string | undefined
}

type Callback = (error: Error | null, result: QueryResult) => void

/** The part of the driver's connection that writes messages. */
interface Wire {
  parse(statement: { text: string; name: string }): void
  bind(portal: { statement: string; values: readonly unknown[] }): void
  execute(portal: { rows: number }): void
  close(statement: { type: 'S'; name: string }): void
}

/** The driver's query, with the methods that its types leave out. */
interface DriverQuery {
  name?: string | undefined
  queryMode?: 'extended'
  prepare(wire: Wire): void
  handleDataRow(message: object): void
  handleCommandComplete(message: object, wire: Wire): void
  handleReadyForQuery(wire: Wire): void
  handleError(error: Error, wire: Wire): void
}
const DriverQuery = pg.Query as unknown as new (
  text: string,
  values: readonly unknown[],
  callback: Callback,
) => DriverQuery

/** Statements that the connection of each client has. */
const keptBy = new WeakMap<PoolClient, Set<string>>()

/**
 * Statements that go out together and are answered together, with the result of the last. PostgreSQL runs them as one transaction
 * unless one is `begin`, and after a failure leaves out the rest.
 */
class PipelinedQuery extends DriverQuery {
  /** Read by the driver; in milliseconds. */
  readonly query_timeout: number
  readonly #before: readonly Step[]
  readonly #kept: Set<string>
  #completed = 0
  #hasFailed = false

  constructor(
    before: readonly Step[],
    last: Step,
    options: { kept: Set<string>; timeoutMs: number },
    callback: Callback,
  ) {
    super(last.text, last.values, callback)
    this.name = last.name
    this.queryMode = 'extended'
    this.query_timeout = options.timeoutMs
    this.#before = before
    this.#kept = options.kept
  }

  override prepare(wire: Wire): void {
    for (const { text, values, name = '' } of this.#before) {
      if (!this.#isReady(wire, name)) wire.parse({ text, name })
      wire.bind({ statement: name, values })
      wire.execute({ rows: 0 })
    }
    if (this.name !== undefined) this.#isReady(wire, this.name)
    super.prepare(wire)
  }

  /** The driver asks this of the last statement. */
  hasBeenParsed(): boolean {
    return this.name !== undefined && this.#kept.has(this.name)
  }

  /** Whether the connection has it. A statement of a message that failed may be there or not: it is closed, to be parsed again. */
  #isReady(wire: Wire, name: string): boolean {
    const isKept = this.#kept.has(name)
    if (!isKept && name !== '') wire.close({ type: 'S', name })
    return isKept
  }

  override handleDataRow(message: object): void {
    if (this.#completed === this.#before.length) super.handleDataRow(message)
  }

  override handleCommandComplete(message: object, wire: Wire): void {
    if (this.#completed++ === this.#before.length) super.handleCommandComplete(message, wire)
  }

  override handleError(error: Error, wire: Wire): void {
    this.#hasFailed = true
    super.handleError(error, wire)
  }

  override handleReadyForQuery(wire: Wire): void {
    if (!this.#hasFailed)
      for (const { name } of [...this.#before, this]) if (name !== undefined) this.#kept.add(name)
    super.handleReadyForQuery(wire)
  }
}

/**
 * Sends statements in one message.
 *
 * @param timeoutMs for all of them
 * @returns the result of the last
 */
export function sendTogether<Row extends QueryResultRow>(
  client: PoolClient,
  steps: readonly Step[],
  timeoutMs: number,
): Promise<QueryResult<Row>> {
  let kept = keptBy.get(client)
  if (!kept) keptBy.set(client, (kept = new Set()))
  const options = { kept, timeoutMs }
  const last = steps.at(-1)
  if (!last) throw new Error('no statement to send')
  return new Promise<QueryResult<Row>>((resolve, reject) => {
    const query = new PipelinedQuery(steps.slice(0, -1), last, options, (error, result) => {
      if (error) reject(error)
      else resolve(result as QueryResult<Row>)
    })
    client.query(query as unknown as pg.Submittable)
  }).catch((error: Error) => {
    // The caller's trace instead of the socket's.
    Error.captureStackTrace(error)
    throw error
  })
}
