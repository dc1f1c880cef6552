import type pg from 'pg'
import type Stripe from 'stripe'
import { errors } from './errors.ts'
import { newId } from './ids.ts'

/** The kinds of objects that are kept, by the name that Stripe gives them in `object`. */
export interface Kinds {
  customer: Stripe.Customer
  payment_method: Stripe.PaymentMethod
  'checkout.session': Stripe.Checkout.Session
  'billing_portal.session': Stripe.BillingPortal.Session
  subscription: Stripe.Subscription
  invoice: Stripe.Invoice
  invoice_payment: Stripe.InvoicePayment
  payment_intent: Stripe.PaymentIntent
  charge: Stripe.Charge
  refund: Stripe.Refund
  dispute: Stripe.Dispute
  event: Stripe.Event
}
export type Kind = keyof Kinds
export type Thing = Kinds[Kind]

/** Which objects a list holds, newest first. */
export interface Selection {
  customer?: string | undefined
  /** Required parts of the body. */
  like?: Record<string, unknown>
  /** Forbidden parts. */
  unlike?: Record<string, unknown>
  types?: string[]
  created?: { gte?: number; gt?: number; lte?: number; lt?: number }
  /** Objects older than this one. */
  after?: string | undefined
  /** Objects newer than this one. */
  before?: string | undefined
  limit?: number
}

export interface StandInDatabase {
  pool: pg.Pool
  /** Settles when the tables exist. */
  ready: Promise<void>
}

/** The stand-in keeps its objects in a separate schema, in Stripe's shapes; Hoplet knows nothing of it. */
export async function createTables(pool: pg.Pool): Promise<void> {
  await pool.query(`
    create schema if not exists stripe_stand_in;
    create table if not exists stripe_stand_in.objects (
      id text primary key,
      type text not null,
      customer_id text,
      body jsonb not null,
      created_at timestamptz not null default clock_timestamp(),
      ordinal bigint generated always as identity
    );
    create index if not exists objects_customer on stripe_stand_in.objects (type, customer_id, ordinal desc);
    create table if not exists stripe_stand_in.clock (
      only_row boolean primary key default true check (only_row),
      ahead interval not null default '0'
    )`)
}

/** One transaction of the stand-in: its objects, its clock, and the events that result. */
export interface Work {
  db: pg.ClientBase
  /** The stand-in's clock in seconds; advance.ts moves it. */
  now: number
  events: Stripe.Event[]
}

/** Runs in one transaction. Writers queue, so that no two decide on the same state. */
export async function runWork<T>(
  { pool, ready }: StandInDatabase,
  mode: 'read' | 'write',
  work: (work: Work) => Promise<T>,
): Promise<{ result: T; events: Stripe.Event[] }> {
  await ready
  const db = await pool.connect()
  try {
    await db.query('begin')
    if (mode === 'write') {
      await db.query(`select pg_advisory_xact_lock(hashtextextended('stripe stand-in', 0))`)
    }
    const { rows } = await db.query<{ now: string }>(
      `select extract(epoch from now() + coalesce((select ahead from stripe_stand_in.clock), '0')) as now`,
    )
    const events: Stripe.Event[] = []
    const result = await work({ db, now: Math.floor(Number(rows[0]?.now)), events })
    await db.query('commit')
    return { result, events }
  } catch (error) {
    await db.query('rollback')
    throw error
  } finally {
    db.release()
  }
}

export async function find<K extends Kind>(
  { db }: Work,
  kind: K,
  id: string,
): Promise<Kinds[K] | undefined> {
  const { rows } = await db.query<{ body: Kinds[K] }>(
    'select body from stripe_stand_in.objects where id = $1 and type = $2',
    [id, kind],
  )
  return rows[0]?.body
}

/** Finds the object that a request names in `param`; the id in the path is `id`. */
export async function get<K extends Kind>(
  work: Work,
  kind: K,
  id: string,
  param = 'id',
): Promise<Kinds[K]> {
  const thing = await find(work, kind, id)
  if (thing) return thing
  const what = kind.replace('_', ' ').replace(/^.*\./, '')
  throw param === 'id' ? errors.missing(what, id, param) : errors.missingReference(what, id, param)
}

export async function select<K extends Kind>(
  { db }: Work,
  kind: K,
  wanted: Selection = {},
): Promise<Kinds[K][]> {
  const values: unknown[] = [kind]
  const conditions = ['type = $1']
  const where = (condition: string, value: unknown) => {
    if (value === undefined) return
    values.push(value)
    conditions.push(condition.replace('?', `$${values.length}`))
  }
  where('customer_id = ?', wanted.customer)
  where('body @> ?::jsonb', wanted.like && JSON.stringify(wanted.like))
  where('not body @> ?::jsonb', wanted.unlike && JSON.stringify(wanted.unlike))
  where(`body->>'type' = any (?)`, wanted.types)
  where(`(body->>'created')::bigint >= ?`, wanted.created?.gte)
  where(`(body->>'created')::bigint > ?`, wanted.created?.gt)
  where(`(body->>'created')::bigint <= ?`, wanted.created?.lte)
  where(`(body->>'created')::bigint < ?`, wanted.created?.lt)
  where('ordinal < (select o.ordinal from stripe_stand_in.objects o where o.id = ?)', wanted.after)
  where('ordinal > (select o.ordinal from stripe_stand_in.objects o where o.id = ?)', wanted.before)
  const order = wanted.before === undefined ? 'desc' : 'asc'
  const { rows } = await db.query<{ body: Kinds[K] }>(
    `select body from stripe_stand_in.objects where ${conditions.join(' and ')}
      order by ordinal ${order} ${wanted.limit === undefined ? '' : `limit ${wanted.limit}`}`,
    values,
  )
  const found = rows.map((row) => row.body)
  return wanted.before === undefined ? found : found.reverse()
}

/** Writes the object and returns it. */
export async function save<T extends Thing>({ db }: Work, thing: T, owner?: string): Promise<T> {
  await db.query(
    `insert into stripe_stand_in.objects (id, type, customer_id, body) values ($1, $2, $3, $4)
      on conflict (id) do update set body = excluded.body`,
    [thing.id, thing.object, owner ?? ownerOf(thing), JSON.stringify(thing)],
  )
  return thing
}

function ownerOf(thing: Thing): string | null {
  if (thing.object === 'customer') return thing.id
  return 'customer' in thing && typeof thing.customer === 'string' ? thing.customer : null
}

/** Records an event about an object; it is delivered after the commit. */
export async function emit(
  work: Work,
  type: Stripe.Event['type'],
  thing: Thing,
  previous?: Record<string, unknown>,
): Promise<void> {
  const event = {
    id: newId('evt'),
    object: 'event',
    api_version: apiVersion,
    created: work.now,
    data: {
      object: structuredClone(thing),
      ...(previous && { previous_attributes: previous }),
    },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
    // The union of all events ties each type to its object; here the two come from one place.
  } as unknown as Stripe.Event
  await save(work, event, ownerOf(thing) ?? undefined)
  work.events.push(event)
}

/** The version of these shapes: that of the installed `stripe` package. */
export const apiVersion: Stripe.LatestApiVersion = '2026-10-28.endive'
