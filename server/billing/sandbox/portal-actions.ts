import type Stripe from 'stripe'
import type { Actions } from './actions.ts'
import { errors } from './errors.ts'

type Fields = Record<string, string>
type Act = (actions: Actions, customer: string, fields: Fields) => Promise<void>

/** What the buttons of the portal do, by their value, and what the page says afterwards. */
const buttons: Readonly<Record<string, { act: Act; done: string }>> = {
  confirm: { act: switchPlan, done: 'The plan was changed.' },
  switch: { act: switchPlan, done: 'The plan was changed.' },
  cancel: {
    act: (actions, customer) => actions.cancelAtPeriodEnd(customer, true),
    done: 'The subscription ends with the paid period.',
  },
  resume: {
    act: (actions, customer) => actions.cancelAtPeriodEnd(customer, false),
    done: 'The subscription goes on.',
  },
  refund: {
    act: (actions, customer, fields) => actions.refund(customer, centsOf(fields.amount ?? '')),
    done: 'The payment was refunded.',
  },
  'card-fails': {
    act: (actions, customer) => actions.setCard(customer, false),
    done: 'The card declines from now on. Advance the time to the end of the period to see the renewal fail.',
  },
  'card-works': {
    act: (actions, customer) => actions.setCard(customer, true),
    done: 'The card works again, and what was owed is paid.',
  },
  dispute: {
    act: (actions, customer) => actions.openDispute(customer),
    done: 'The last payment is disputed.',
  },
  'dispute-won': {
    act: (actions, customer) => actions.closeDispute(customer, true),
    done: 'The dispute was won.',
  },
  'dispute-lost': {
    act: (actions, customer) => actions.closeDispute(customer, false),
    done: 'The dispute was lost.',
  },
  'advance-day': { act: (actions) => actions.advance('day'), done: 'It is a day later.' },
  'advance-month': { act: (actions) => actions.advance('month'), done: 'It is a month later.' },
  'advance-period': {
    act: (actions, customer) => actions.advance('period', customer),
    done: 'The period is over.',
  },
}

export const doneTexts: ReadonlyMap<string, string> = new Map(
  Object.entries(buttons).map(([name, { done }]) => [name, done]),
)

/** Does what the pressed button says, to the session's own customer, and hands back its name. @throws {SandboxError} */
export async function actOnPortal(
  actions: Actions,
  { customer }: Stripe.BillingPortal.Session,
  fields: Fields,
): Promise<string> {
  const name = fields.do ?? ''
  const button = Object.hasOwn(buttons, name) ? buttons[name] : undefined
  if (!button) throw errors.refused('There is no such button.')
  await button.act(actions, customer, fields)
  return name
}

function switchPlan(actions: Actions, customer: string, fields: Fields): Promise<void> {
  return actions.switchPlan(customer, fields.price ?? '')
}

function centsOf(typed: string): number {
  const match = /^\$?(\d{1,6})(?:\.(\d{1,2}))?$/.exec(typed.trim())
  if (!match) throw errors.wrong('Please enter an amount such as 3.50.', 'amount')
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
}
