import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { type Chain, createBrokenDatabase, drift, makeChains } from './plant.ts'
import { makeRandom, type Random } from './random.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

it('1,000 random sequences of refunds, disputes, wins and payouts are exact to the cent', async () => {
  const { expected, found } = await play(database, 20, 50)
  expect(found).toEqual(expected)
  expect(await drift(database.sql)).toEqual([])
  // The sequences contained every kind of line, and many payouts.
  const kinds = new Set(expected.flatMap(({ lines }) => lines.map((line) => line.split(' ')[1])))
  expect([...kinds].map(String).sort()).toEqual([
    'dispute',
    'dispute_won',
    'earned',
    'refund',
    'refund_undone',
  ])
  expect(expected.filter(({ payouts }) => payouts.length > 1).length).toBeGreaterThan(10)
})

it.each([
  [
    'rounds down',
    'app.settle_invoice',
    'round(line.amount_cents * inv.refunded_cents',
    'floor(line.amount_cents * inv.refunded_cents',
  ],
  [
    'takes a dispute out of the whole',
    'app.settle_invoice',
    'least(line.amount_cents - refunded,',
    'least(line.amount_cents,',
  ],
  [
    'pays what is not due',
    'app.make_payout',
    "c.status = 'pending' and c.due_at <= now()",
    "c.status = 'pending' and c.kind = 'earned'",
  ],
])('the check notices a ledger that %s (control)', async (_what, routine, text, instead) => {
  const broken = await createBrokenDatabase(routine, text, instead)
  try {
    const { expected, found } = await play(broken, 1, 40)
    expect(found).not.toEqual(expected)
  } finally {
    await broken.drop()
  }
})

/** The result for one affiliate. */
interface Outcome {
  /** 'invoice kind cents', sorted. */
  lines: string[]
  payouts: number[]
  balance: number
}

interface Invoice {
  id: string
  paid: number
  refunded: number
  disputed: number
  /** Cents booked for each reversal of each tier. */
  earned: [number, number]
  booked: { refund: [number, number]; dispute: [number, number] }
}

/** An independent model of the ledger. */
class Model {
  readonly outcomes: [Outcome, Outcome]
  constructor() {
    const nothing = (): Outcome => ({ lines: [], payouts: [], balance: 0 })
    this.outcomes = [nothing(), nothing()]
  }

  settle(invoice: Invoice): void {
    for (const tier of [0, 1] as const) {
      const earned = invoice.earned[tier]
      const refund = Math.min(earned, share(earned, invoice.refunded, invoice.paid))
      const dispute = Math.min(earned - refund, share(earned, invoice.disputed, invoice.paid))
      this.book(invoice, tier, 'refund', 'refund_undone', refund)
      this.book(invoice, tier, 'dispute', 'dispute_won', dispute)
    }
  }

  add(tier: 0 | 1, invoice: Invoice, kind: string, cents: number): void {
    this.outcomes[tier].lines.push(`${invoice.id} ${kind} ${cents}`)
    this.outcomes[tier].balance += cents
  }

  pay(tier: 0 | 1): void {
    const outcome = this.outcomes[tier]
    if (outcome.balance <= 0) return
    outcome.payouts.push(outcome.balance)
    outcome.balance = 0
  }

  private book(
    invoice: Invoice,
    tier: 0 | 1,
    taken: 'refund' | 'dispute',
    given: string,
    due: number,
  ): void {
    const change = invoice.booked[taken][tier] - due
    invoice.booked[taken][tier] = due
    if (change !== 0) this.add(tier, invoice, change < 0 ? taken : given, change)
  }
}

/** part/whole of cents, rounded half up. */
function share(cents: number, part: number, whole: number): number {
  return Number((2n * BigInt(cents) * BigInt(part) + BigInt(whole)) / (2n * BigInt(whole)))
}

/** Gives each of `chains` payers `sequences` invoices with a random history, in the database and in the model. */
async function play(on: TestDatabase, chains: number, sequences: number) {
  const random = makeRandom(20_261_121)
  const expected: Outcome[] = []
  const found: Outcome[] = []
  for (const chain of await makeChains(on.sql, chains)) {
    const model = new Model()
    const statements = Array.from({ length: sequences }, (_, index) =>
      history(random, model, chain, `in_${index}_${chain.payer}`),
    ).flat()
    await on.sql(statements.join(';'))
    for (const [tier, affiliate] of [chain.first, chain.second].entries()) {
      const outcome = model.outcomes[tier === 0 ? 0 : 1]
      outcome.lines.sort()
      expected.push(outcome)
      found.push(await outcomeOf(on, affiliate))
    }
  }
  return { expected, found }
}

/** One invoice that is old enough to be due, with a random history in the database and in the model. */
function history(random: Random, model: Model, chain: Chain, id: string): string[] {
  const base = random.below(3) === 0 ? random.below(60) + 10 : random.below(20_000) + 10
  const invoice: Invoice = {
    id,
    paid: base + random.below(Math.ceil(base / 4)),
    refunded: 0,
    disputed: 0,
    earned: [Math.floor((base * 25) / 100), Math.floor((base * 10) / 100)],
    booked: { refund: [0, 0], dispute: [0, 0] },
  }
  const settle = `select app.settle_invoice('stripe', '${id}')`
  const statements = [
    `insert into app.billing_invoices (provider, invoice_id, customer_id, account_id, currency, paid_cents, base_cents, paid_at)
     values ('stripe', '${id}', 'cus', '${chain.payer}', 'usd', ${invoice.paid}, ${base}, now() - interval '31 days')`,
    settle,
  ]
  if (invoice.earned[0] > 0) model.add(0, invoice, 'earned', invoice.earned[0])
  if (invoice.earned[1] > 0) model.add(1, invoice, 'earned', invoice.earned[1])

  for (let step = random.below(7) + 1; step > 0; step--) {
    const payTier = random.below(8)
    if (payTier <= 1) {
      statements.push(
        `select app.make_payout('${payTier === 0 ? chain.first : chain.second}', null, null)`,
      )
      model.pay(payTier === 0 ? 0 : 1)
      continue
    }
    change(random, invoice)
    statements.push(
      `update app.billing_invoices set refunded_cents = ${invoice.refunded}, disputed_cents = ${invoice.disputed}
       where invoice_id = '${id}'`,
    )
    // A change may be missed and come with the next one; and it may come twice.
    if (random.below(4) === 0) continue
    statements.push(settle)
    if (random.below(4) === 0) statements.push(settle)
    model.settle(invoice)
  }
  statements.push(settle)
  model.settle(invoice)
  return statements
}

function change(random: Random, invoice: Invoice): void {
  const left = invoice.paid - invoice.refunded
  const what = random.below(6)
  if (what === 0) invoice.refunded = invoice.paid
  else if (what <= 2) invoice.refunded += random.below(left + 1)
  // A refund that failed.
  else if (what === 3) invoice.refunded = random.below(invoice.refunded + 1)
  else if (what === 4) invoice.disputed = random.below(2) === 0 ? invoice.paid : left
  // The dispute was won.
  else invoice.disputed = 0
}

async function outcomeOf(on: TestDatabase, affiliate: string): Promise<Outcome> {
  const [row] = await on.sql<{ lines: string[]; payouts: number[]; balance: number }>(
    `select coalesce((select array_agg(invoice_id || ' ' || kind || ' ' || amount_cents)
         from app.commissions where affiliate_user_id = $1), '{}') as lines,
       coalesce((select array_agg(amount_cents::int order by ctid)
         from app.payouts where affiliate_user_id = $1), '{}') as payouts,
       coalesce((select sum(amount_cents)::int from app.commissions where affiliate_user_id = $1 and status = 'pending'), 0) as balance`,
    [affiliate],
  )
  if (!row) throw new Error('no outcome')
  return { ...row, lines: row.lines.toSorted() }
}
