import { randomUUID } from 'node:crypto'
import type { Database, Transaction } from '../../postgres/database.ts'
import { firstRow, onlyRow } from '../../postgres/rows.ts'
import { PaymentProviderError } from '../provider.ts'
import { catchUp, type PlayAccount } from './account.ts'
import { orThrow } from '../../primitives/or-throw.ts'

/** A transaction on play money's own tables (app.play_money_*), with its own clock. */
export interface PlayTransaction {
  db: Transaction
  /** Milliseconds of the play clock. */
  now: number
}

/** A checkout or a portal of one customer. Anyone who has its address can use it. */
export interface PlayPage {
  id: string
  kind: 'checkout' | 'portal'
  customerId: string
  /** Checkout: its price. Portal: the change to confirm. */
  priceId: string | null
  successUrl: string
  backUrl: string
  status: 'open' | 'paid'
  account: PlayAccount
  /** Address of the person; null when the account is deleted. */
  email: string | null
}

/** Transactions run one after the other: each locks the clock. */
export function inPlayMoney<T>(
  database: Database,
  work: (transaction: PlayTransaction) => Promise<T>,
): Promise<T> {
  return database.transactionAs(
    { role: 'hoplet_billing', statementTimeout: 10_000 },
    async (db) => {
      const { now } = await onlyRow<{ now: number }>(
        db,
        `select floor(extract(epoch from clock_timestamp() + ahead) * 1000)::float8 as now
          from app.play_money_clock for update`,
        [],
      )
      return work({ db, now })
    },
  )
}

/** The account's customer, created on first use. */
export async function ensurePlayCustomer(
  { db }: PlayTransaction,
  accountId: string,
): Promise<string> {
  await db.query(
    `insert into app.play_money_customers (id, account_id, account)
      select $2, $1, '{"card": null, "subscriptions": [], "invoices": []}'
        where not exists (select from app.play_money_customers where account_id = $1)`,
    [accountId, `cus_${randomUUID()}`],
  )
  const own = 'select id from app.play_money_customers where account_id = $1'
  return (await onlyRow<{ id: string }>(db, own, [accountId])).id
}

/** @throws {PaymentProviderError} when play money was voided since */
export async function readPlayAccount(
  { db }: PlayTransaction,
  customerId: string,
): Promise<PlayAccount> {
  const found = await firstRow<{ account: PlayAccount }>(
    db,
    'select account from app.play_money_customers where id = $1',
    [customerId],
  )
  const missing = () => new PaymentProviderError('customer_missing', { customer: customerId })
  return orThrow(found, missing).account
}

/** Writes a new version of the account, which is an event. `change` gets the time of the play clock. */
export async function changePlayAccount(
  transaction: PlayTransaction,
  customerId: string,
  change: (account: PlayAccount, now: number) => void,
): Promise<void> {
  const account = await readPlayAccount(transaction, customerId)
  change(account, transaction.now)
  await transaction.db.query(
    `update app.play_money_customers set account = $2, version = version + 1, changed_at = now()
      where id = $1 and account <> $2`,
    [customerId, JSON.stringify(account)],
  )
}

/** Ends a subscription at once. */
export async function cancelPlaySubscription(
  transaction: PlayTransaction,
  subscriptionId: string,
): Promise<void> {
  const { rows } = await transaction.db.query<{ id: string }>(
    'select id from app.play_money_customers where account @> $1',
    [JSON.stringify({ subscriptions: [{ id: subscriptionId }] })],
  )
  for (const { id } of rows)
    await changePlayAccount(transaction, id, ({ subscriptions }) => {
      for (const one of subscriptions) if (one.id === subscriptionId) one.status = 'canceled'
    })
}

/** Advances the clock for every account to that time; due events happen. */
export async function advancePlayClock({ db, now }: PlayTransaction, to: number): Promise<void> {
  await db.query('update app.play_money_clock set ahead = ahead + make_interval(secs => $1)', [
    (to - now) / 1000,
  ])
  const { rows } = await db.query<{ id: string }>(
    `select id from app.play_money_customers where account @? '$.subscriptions[*] ? (@.status != "canceled")'`,
  )
  for (const { id } of rows) await changePlayAccount({ db, now: to }, id, catchUp)
}

type NewPlayPage = Pick<PlayPage, 'kind' | 'customerId' | 'priceId' | 'successUrl' | 'backUrl'> & {
  /** The same one gives the same page. */
  idempotencyKey: string
}

export async function createPlayPage(
  transaction: PlayTransaction,
  { kind, customerId, priceId, successUrl, backUrl, idempotencyKey }: NewPlayPage,
  hours: number,
): Promise<PlayPage> {
  const { db } = transaction
  const made = await firstRow<{ id: string }>(
    db,
    `insert into app.play_money_pages (id, kind, customer_id, price_id, success_url, back_url, idempotency_key, expires_at)
      select gen_random_uuid(), $1, id, $3, $4, $5, $6, now() + make_interval(hours => $7)
      from app.play_money_customers where id = $2
      on conflict (idempotency_key) do update set idempotency_key = excluded.idempotency_key returning id`,
    [kind, customerId, priceId, successUrl, backUrl, idempotencyKey, hours],
  )
  return orThrow(
    made && (await readPlayPage(transaction, made.id)),
    () => new PaymentProviderError('customer_missing', { customer: customerId }),
  )
}

/** Undefined for an open page past its time, too. */
export function readPlayPage({ db }: PlayTransaction, id: string): Promise<PlayPage | undefined> {
  return firstRow(
    db,
    `select p.id, kind, customer_id as "customerId", price_id as "priceId", success_url as "successUrl",
        back_url as "backUrl", status, account,
        (select email from app.profiles where id = c.account_id) as email
      from app.play_money_pages p join app.play_money_customers c on c.id = p.customer_id
      where p.id = $1 and (status = 'paid' or expires_at > now())`,
    [id],
  )
}

/** False: it was paid, has expired or never existed. */
export async function deleteOpenPage({ db }: PlayTransaction, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `delete from app.play_money_pages where id = $1 and status = 'open' and expires_at > now()`,
    [id],
  )
  return rowCount === 1
}
