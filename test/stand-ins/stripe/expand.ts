import { errors } from './errors.ts'
import { paymentsOf } from './invoices.ts'
import { listOf, type Params } from './params.ts'
import { find, type Kind, type Work } from './work.ts'

type Json = Record<string, unknown>

/** The kind of an id by its prefix. */
const kinds: Readonly<Record<string, Kind>> = {
  cus: 'customer',
  sub: 'subscription',
  in: 'invoice',
  pi: 'payment_intent',
  ch: 'charge',
  pm: 'payment_method',
}

/** Puts objects where ids stand, for each path of `expand[]`. @throws {StandInError} for one that leads nowhere */
export async function expand(work: Work, answer: object, params: Params): Promise<void> {
  for (const path of listOf(params, 'expand').map(String)) {
    await expandPath(work, answer, path.split('.'), path)
  }
}

async function expandPath(work: Work, at: unknown, steps: string[], path: string): Promise<void> {
  if (Array.isArray(at)) {
    for (const member of at) await expandPath(work, member, steps, path)
    return
  }
  const [step, ...rest] = steps
  // Nothing is there to expand: a subscription without an invoice.
  if (step === undefined || at === null) return
  if (typeof at !== 'object') throw cannot(path)
  const holder = at as Json
  if (holder.object === 'invoice' && step === 'payments') {
    holder.payments ??= await paymentsOf(work, String(holder.id))
  }
  if (!(step in holder)) throw cannot(path)
  const value = holder[step]
  if (typeof value === 'string') {
    const kind = kinds[value.split('_', 1)[0] ?? '']
    const thing = kind && (await find(work, kind, value))
    if (!thing) throw cannot(path)
    holder[step] = thing
  }
  await expandPath(work, holder[step], rest, path)
}

function cannot(path: string) {
  return errors.wrong(
    `This property cannot be expanded (${path.split('.').at(-1) ?? path}).`,
    'expand',
  )
}
