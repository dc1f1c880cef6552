import type Stripe from 'stripe'
import type { Logger } from '../log.ts'
import type { Database, Transaction } from '../postgres/database.ts'
import type { Provider } from './apply-truth.ts'
import type { Prices } from './settings.ts'

/** What the files of this folder share, once a provider is set up. */
export interface BillingParts {
  provider: Provider
  stripe: Stripe
  prices: Prices
  /** Real money: events of the other mode are not ours. */
  livemode: boolean
  webhookSecret: string | undefined
  /** The screen that people come from and go back to. */
  upgradeUrl(): string
  database: Database
  log: Logger
  /** The server is going down: long work ends after its next step. */
  closing: boolean
}

/** Runs as the role that owns the tables of payments. */
export function asBilling<T>(
  { database }: Pick<BillingParts, 'database'>,
  work: (db: Transaction) => Promise<T>,
): Promise<T> {
  return database.transactionAs({ role: 'hoplet_billing' }, work)
}
