import type pg from 'pg'
import type { Transaction } from './database.ts'

/** The first row that a statement returns, if any. */
export async function firstRow<Row extends pg.QueryResultRow>(
  db: Transaction,
  text: string,
  values: unknown[],
): Promise<Row | undefined> {
  const { rows } = await db.query<Row>(text, values)
  return rows[0]
}

/** The row of a statement that always returns one, such as an insert. */
export async function onlyRow<Row extends pg.QueryResultRow>(
  db: Transaction,
  text: string,
  values: unknown[],
): Promise<Row> {
  const row = await firstRow<Row>(db, text, values)
  if (!row) throw new Error(`no row was returned by: ${text}`)
  return row
}
