import { randomUUID } from 'node:crypto'
import type { Database, Transaction } from '../../postgres/database.ts'
import { type AccountChange, catchUp, type PlayAccount } from './account.ts'

/** A transaction on play money's own tables (app.play_money_*), with its own clock. */
export interface PlayTransaction {
  db: Transaction
  /** Milliseconds of the play clock. */
  now: number
}

/** The address of a checkout or of a portal; whoever has it can use it. */
export interface PlayPage {
  id: string
  kind: 'checkout' | 'portal'
  customer_id: string
  /** Checkout: what it sells. Portal: the change to confirm. */
  price_id: string | null
  success_url: string
  back_url: string
  status: 'open' | 'paid' | 'expired'
  expires_at: Date
}

/** Transactions that write run one after the other. */
export function inPlayMoney<T>(
  database: Database,
  mode: 'read' | 'write',
  work: (transaction: PlayTransaction) => Promise<T>,
): Promise<T> {
  const readOnly = mode === 'read'
  return database.transactionAs(
    { role: 'hoplet_billing', readOnly, statementTimeout: 10_000 },
    async (db) => {
      const { rows } = await db.query<{ now: number }>(
        `select extract(epoch from clock_timestamp() + ahead)::float8 * 1000 as now from app.play_money_clock
          ${readOnly ? '' : 'for update'}`,
      )
      return work({ db, now: Math.floor(rows[0]?.now ?? Date.now()) })
    },
  )
}

/** The account's customer, created on first use. */
export async function ensurePlayCustomer(
  { db }: PlayTransaction,
  accountId: string,
  released: readonly string[],
): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    'select id from app.play_money_customers where account_id = $1 and id <> all ($2)',
    [accountId, released],
  )
  if (rows[0]) return rows[0].id
  const id = newId('cus')
  const account: PlayAccount = { card: null, subscriptions: [], invoices: [] }
  await db.query(
    'insert into app.play_money_customers (id, account_id, account) values ($1, $2, $3)',
    [id, accountId, JSON.stringify(account)],
  )
  return id
}

export async function readPlayAccount(
  { db }: PlayTransaction,
  customerId: string,
): Promise<PlayAccount | undefined> {
  const { rows } = await db.query<{ account: PlayAccount }>(
    'select account from app.play_money_customers where id = $1',
    [customerId],
  )
  return rows[0]?.account
}

/** Writes a new version of the account, which is an event. */
export async function changePlayAccount(
  transaction: PlayTransaction,
  customerId: string,
  change: AccountChange,
): Promise<void> {
  const account = await readPlayAccount(transaction, customerId)
  if (!account) return
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

/** Advances the clock for every account; what falls due happens. */
export async function advancePlayClock(transaction: PlayTransaction, ms: number): Promise<void> {
  const { db } = transaction
  if (ms > 0)
    await db.query('update app.play_money_clock set ahead = ahead + make_interval(secs => $1)', [
      ms / 1000,
    ])
  const { rows } = await db.query<{ id: string }>(
    `select id from app.play_money_customers where account @? '$.subscriptions[*] ? (@.status != "canceled")'`,
  )
  const later = { db, now: transaction.now + ms }
  for (const { id } of rows) await changePlayAccount(later, id, catchUp)
}

/** The same idempotency key gives the same page. */
export async function createPlayPage(
  { db }: PlayTransaction,
  page: Omit<PlayPage, 'id' | 'status' | 'expires_at'>,
  { hours, idempotencyKey }: { hours: number; idempotencyKey: string | null },
): Promise<PlayPage> {
  await db.query(`delete from app.play_money_pages where expires_at < now() - interval '1 day'`)
  const { kind, customer_id, price_id, success_url, back_url } = page
  const { rows } = await db.query<PlayPage>(
    `insert into app.play_money_pages (id, kind, customer_id, price_id, success_url, back_url, idempotency_key, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(hours => $8))
      on conflict (idempotency_key) do update set idempotency_key = excluded.idempotency_key returning *`,
    [
      newId(kind === 'checkout' ? 'cs' : 'bps'),
      kind,
      customer_id,
      price_id,
      success_url,
      back_url,
      idempotencyKey,
      hours,
    ],
  )
  const [created] = rows
  if (!created) throw new Error('no page was created')
  return created
}

/** An open page past its time has expired. */
export async function readPlayPage(
  { db }: PlayTransaction,
  kind: PlayPage['kind'],
  id: string,
): Promise<PlayPage | undefined> {
  const { rows } = await db.query<PlayPage>(
    `select id, kind, customer_id, price_id, success_url, back_url, expires_at,
        case when status = 'open' and expires_at <= now() then 'expired' else status end as status
      from app.play_money_pages where kind = $1 and id = $2`,
    [kind, id],
  )
  return rows[0]
}

export async function closePlayPage(
  { db }: PlayTransaction,
  id: string,
  status: 'paid' | 'expired',
): Promise<void> {
  await db.query('update app.play_money_pages set status = $2 where id = $1', [id, status])
}

function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`
}
