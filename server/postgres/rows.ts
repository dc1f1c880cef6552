import type pg from 'pg'
import type { Caller } from './begin.ts'
import type { Database, Transaction } from './database.ts'
import { orThrow } from '../primitives/or-throw.ts'

/** Runs one statement in a separate transaction, and returns its rows. */
export async function queryAs<Row extends pg.QueryResultRow>(
  database: Pick<Database, 'transactionAs'>,
  caller: Caller,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  const { rows } = await database.transactionAs({ ...caller, isOneQuery: true }, (db) =>
    db.query<Row>(text, values),
  )
  return rows
}

/** Runs one statement with one column in a separate transaction, and returns the value of its first row, if any. */
export async function valueAs<Value>(
  database: Pick<Database, 'transactionAs'>,
  caller: Caller,
  text: string,
  values?: unknown[],
): Promise<Value | undefined> {
  const [row] = await queryAs<Record<string, Value>>(database, caller, text, values)
  return row && Object.values(row)[0]
}

/** Runs one statement that always returns a row in a separate transaction, and returns the row. */
export async function onlyRowAs<Row extends pg.QueryResultRow>(
  database: Pick<Database, 'transactionAs'>,
  caller: Caller,
  text: string,
  values?: unknown[],
): Promise<Row> {
  return database.transactionAs({ ...caller, isOneQuery: true }, (db) => onlyRow(db, text, values))
}

/** The first row that a statement returns, if any. */
export async function firstRow<Row extends pg.QueryResultRow>(
  db: Transaction,
  text: string,
  values?: unknown[],
): Promise<Row | undefined> {
  const { rows } = await db.query<Row>(text, values)
  return rows[0]
}

/** The row of a statement that always returns one, such as an insert. */
export async function onlyRow<Row extends pg.QueryResultRow>(
  db: Transaction,
  text: string,
  values?: unknown[],
): Promise<Row> {
  const row = await firstRow<Row>(db, text, values)
  return orThrow(row, () => new Error(`no row was returned by: ${text}`))
}

/**
 * Inserts a row, and returns the columns named in `returning`. Undefined columns get their defaults.
 *
 * @param table and the names in `row` come from code, never from a request
 */
export function insertRow<Row extends pg.QueryResultRow>(
  db: Transaction,
  table: string,
  row: object,
  returning: string,
): Promise<Row> {
  const given = Object.entries(row).filter(([, value]) => value !== undefined)
  const names = given.map(([name]) => name)
  const places = given.map((_, index) => `$${index + 1}`)
  return onlyRow(
    db,
    `insert into ${table} (${names.join(', ')}) values (${places.join(', ')}) returning ${returning}`,
    given.map(([, value]) => value),
  )
}
