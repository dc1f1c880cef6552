import { ifError } from '../primitives/caught-error.ts'
import type { PaidPlan, PaymentProviderName, Prices } from './settings.ts'

/**
 * The payment provider. Everything else in this folder is the same for every provider; differences are in `stripe/` and
 * `play-money/`, which share no table, no clock and no function.
 *
 * Methods throw {@link PaymentProviderError}. Events are hints: only the snapshot counts.
 */
export interface PaymentProvider {
  readonly name: PaymentProviderName
  readonly prices: Prices
  /** Finds or creates the customer of an account. Parallel calls get the same customer. */
  ensureCustomer(account: PayingAccount): Promise<string>
  /** Calls with the same idempotency key get the same session. */
  createCheckout(order: CheckoutOrder): Promise<CheckoutSession>
  /** Undefined when the provider does not know it. */
  readCheckout(sessionId: string): Promise<CheckoutSession | undefined>
  /** False: it was paid or had expired before. */
  expireCheckout(sessionId: string): Promise<boolean>
  /** The address of the customer's portal, or of the page that confirms `change`. */
  openPortal(visit: PortalVisit): Promise<string>
  readSnapshot(customerId: string): Promise<ProviderSnapshot>
  /** Ends a subscription at once. */
  cancelSubscription(subscriptionId: string): Promise<void>
  /** The relevant events since then, newest first. */
  listEvents(since: Date): Promise<ProviderEvent[]>
  /** Verifies and reads a webhook call, or throws an Error that says why not. Undefined: no webhooks. */
  readonly readWebhook: ((rawBody: string, signature: string | null) => ProviderEvent) | undefined
}

export interface PayingAccount {
  userId: string
  email: string
  /** Customers of this account that were released; a new one is needed. */
  releasedCustomers: readonly string[]
}

export interface CheckoutOrder {
  customerId: string
  priceId: string
  successUrl: string
  cancelUrl: string
  idempotencyKey: string
}

export interface CheckoutSession {
  id: string
  /** Null when it is not open any more. */
  url: string | null
}

export interface PortalVisit {
  customerId: string
  returnUrl: string
  change: { subscription: SubscriptionFacts; priceId: string } | undefined
}

/** Everything that counts about a customer, as the provider has it now. */
export interface ProviderSnapshot {
  subscriptions: SubscriptionFacts[]
  /** Oldest first. */
  invoices: InvoiceFacts[]
  /** Fingerprint of the card that paid last. */
  cardFingerprint: string | null
}

export interface SubscriptionFacts {
  id: string
  /** In Stripe's words: active, trialing, past_due, … */
  status: string
  /** The first item that has one of our prices, else the first. */
  itemId: string | null
  priceId: string | null
  periodEnd: Date | null
  cancelsAtPeriodEnd: boolean
  created: Date
}

/** A paid invoice of a subscription. Amounts are cents. */
export interface InvoiceFacts {
  id: string
  number: string | null
  subscriptionId: string
  /** Undefined for a price that is no longer sold. */
  plan: PaidPlan | undefined
  currency: string
  paid: number
  /** The payment without tax. */
  base: number
  refunded: number
  /** Disputed and not won. */
  disputed: number
  /** A dispute was lost. */
  lost: boolean
  paidAt: Date
  periodEnd: Date
}

/** Says that something of a customer has changed. */
export interface ProviderEvent {
  id: string
  type: string
  createdAt: Date
  /**
   * May call the provider: a dispute names only its charge. Null: of the provider's other mode, or of a type that changes
   * nothing here.
   */
  readCustomerId(): Promise<string | null>
  /** A renewal that could not be charged, which the customer is told about. */
  failedPayment: FailedPayment | undefined
}

export interface FailedPayment {
  invoiceId: string
  attempt: number
  cents: number
  currency: string
  nextAttemptAt: Date | null
}

/**
 * `unreachable`: the request may or may not have had its effect. `busy`: the same request is in progress, from another
 * server. `missing`: the named object does not exist. `customer_missing`: deleted there, or of the provider's other
 * mode.
 */
export const failureReasons = [
  'unreachable',
  'busy',
  'failed',
  'rejected',
  'missing',
  'customer_missing',
] as const

type FailureReason = (typeof failureReasons)[number]

export class PaymentProviderError extends Error {
  name = 'PaymentProviderError'
  readonly reason: FailureReason
  /** The part for the log: the message can quote keys and addresses. */
  readonly facts: Readonly<Record<string, unknown>>
  constructor(reason: FailureReason, facts: Readonly<Record<string, unknown>>) {
    super(`the payment provider failed: ${reason}`)
    this.reason = reason
    this.facts = facts
  }
}

/** Makes a `catch` handler for a customer that the provider does not know. */
export function ifCustomerMissing<Result>(handle: () => Result): (error: unknown) => Result {
  return ifError(PaymentProviderError, (error) => {
    if (error.reason !== 'customer_missing') throw error
    return handle()
  })
}

/** Log fields of any error. */
export function errorFacts(error: unknown): Readonly<Record<string, unknown>> {
  return error instanceof PaymentProviderError ? error.facts : { err: error }
}
