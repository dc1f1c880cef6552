import type { QueryResultRow } from 'pg'
import type { Logger } from '../log.ts'
import type { Database, Transaction } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import type { PaymentProvider } from './provider.ts'

export interface BillingDeps {
  provider: PaymentProvider
  /** The screen that people come from and return to. */
  upgradeUrl(): string
  database: Database
  log: Logger
  /** The server is shutting down: long work stops after its current step. */
  closing: boolean
}

/** Runs as the role that owns the payment tables. */
export function asBilling<T>(
  { database }: Pick<BillingDeps, 'database'>,
  work: (db: Transaction) => Promise<T>,
): Promise<T> {
  return database.transactionAs({ role: 'hoplet_billing' }, work)
}

/** Runs one statement in a separate transaction. `$1` is the provider's name, a part of each table's key. */
export function queryBilling<Row extends QueryResultRow>(
  { database, provider }: Pick<BillingDeps, 'database' | 'provider'>,
  text: string,
  ...values: unknown[]
): Promise<Row[]> {
  return queryAs(database, { role: 'hoplet_billing' }, text, [provider.name, ...values])
}
