import type Stripe from 'stripe'
import { isGood, paymentMethod, putCardOnFile } from './cards.ts'
import { type Offer, offerOf } from './catalog.ts'
import { errors } from './errors.ts'
import { idOf, newId } from './ids.ts'
import {
  innerOf,
  listOf,
  metadataOf,
  type Params,
  requiredText,
  textOf,
  wholeOf,
} from './params.ts'
import { charge, declinedMessage } from './payments.ts'
import { startSubscription } from './subscriptions.ts'
import { emit, find, get, save, type Work } from './work.ts'

type Session = Stripe.Checkout.Session

const hour = 3_600

/** `POST checkout/sessions`: a page where the customer can subscribe to one of the two prices. */
export async function createCheckout(work: Work, params: Params): Promise<Session> {
  const mode = requiredText(params, 'mode')
  if (mode !== 'subscription') {
    throw errors.wrong('The stand-in sells subscriptions only: mode must be subscription', 'mode')
  }
  const [line] = listOf(params, 'line_items')
  if (typeof line !== 'object') throw errors.required('line_items')
  const offer = offerOf(requiredText(line, 'price'), 'line_items[0][price]')
  const customer = await get(work, 'customer', requiredText(params, 'customer'), 'customer')
  const successUrl = absoluteUrl(requiredText(params, 'success_url'), 'success_url')
  const cancelUrl = textOf(params, 'cancel_url')
  const expiresAt = wholeOf(params, 'expires_at') ?? work.now + 24 * hour
  if (expiresAt < work.now + hour / 2 || expiresAt > work.now + 24 * hour) {
    throw errors.wrong(
      'The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.',
      'expires_at',
    )
  }
  const id = newId('cs_test', 58)
  return save(work, {
    ...unused,
    id,
    amount_subtotal: offer.cents,
    amount_total: offer.cents,
    cancel_url: cancelUrl === undefined ? null : absoluteUrl(cancelUrl, 'cancel_url'),
    client_reference_id: textOf(params, 'client_reference_id') ?? null,
    created: work.now,
    customer: customer.id,
    customer_details: { ...noDetails, email: customer.email },
    expires_at: expiresAt,
    // The items sold: Stripe returns them on `expand` only.
    metadata: {
      ...metadataOf(params),
      ...hiddenNote(offer, innerOf(params, 'subscription_data')),
    },
    success_url: successUrl,
    url: `https://checkout.stripe.test/c/${id}`,
  })
}

/** Facts that Stripe keeps with a session and never returns. */
const noteName = 'stand_in'

function hiddenNote(offer: Offer, data: Params | undefined): Record<string, string> {
  return { [noteName]: JSON.stringify({ price: offer.priceId, metadata: metadataOf(data) }) }
}

function noteOf(session: Session): { price: string; metadata: Record<string, string> } {
  return JSON.parse(session.metadata?.[noteName] ?? '{}') as ReturnType<typeof noteOf>
}

/** The session as it is now: an open session past its time has expired. */
export function asOfNow(work: Work, session: Session): Session {
  return session.status === 'open' && session.expires_at <= work.now
    ? { ...session, status: 'expired', url: null }
    : session
}

/** `POST checkout/sessions/:id/expire`: it can no longer be paid. */
export async function expireCheckout(work: Work, id: string): Promise<Session> {
  const session = asOfNow(work, await get(work, 'checkout.session', id, 'session'))
  if (session.status !== 'open') {
    throw errors.refused(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status ?? 'complete'}.`,
    )
  }
  session.status = 'expired'
  session.url = null
  await emit(work, 'checkout.session.expired', await save(work, session))
  return session
}

/** The result of pressing Pay. */
export type PayResult =
  | { kind: 'paid'; successUrl: string }
  /** Pressed twice. */
  | { kind: 'paid before'; successUrl: string }
  | { kind: 'declined'; message: string }
  | { kind: 'closed' }

/** Pays on the page. A card that declines leaves the session open. */
export async function payCheckout(
  work: Work,
  id: string,
  { cardNumber, email }: { cardNumber: string; email: string },
): Promise<PayResult> {
  const found = await find(work, 'checkout.session', id)
  const session = found && asOfNow(work, found)
  if (session?.status === 'complete') {
    return { kind: 'paid before', successUrl: successUrlOf(session) }
  }
  if (session?.status !== 'open') return { kind: 'closed' }
  const customer = await get(work, 'customer', idOf(session.customer) ?? '')
  const { price, metadata } = noteOf(session)
  const offer = offerOf(price)
  const trial = paymentMethod(customer, cardNumber, work.now)
  if (!isGood(trial)) {
    await charge(work, {
      customer,
      method: trial,
      cents: offer.cents,
      description: 'Subscription creation',
    })
    return { kind: 'declined', message: declinedMessage }
  }
  await putCardOnFile(work, customer, cardNumber)
  const { subscription, invoice } = await startSubscription(work, customer, offer, metadata)
  Object.assign(session, {
    status: 'complete',
    payment_status: 'paid',
    customer_details: { ...noDetails, email },
    subscription: subscription.id,
    invoice: invoice.id,
    url: null,
  } satisfies Partial<Session>)
  await emit(work, 'checkout.session.completed', await save(work, session))
  return { kind: 'paid', successUrl: successUrlOf(session) }
}

function successUrlOf({ id, success_url }: Session): string {
  return (success_url ?? '').replaceAll('{CHECKOUT_SESSION_ID}', id)
}

function absoluteUrl(text: string, param: string): string {
  if (/^https?:\/\/[^/\s]+/.test(text) && URL.canParse(text)) return text
  throw errors.wrong('Not a valid URL', param)
}

const noDetails: Stripe.Checkout.Session.CustomerDetails = {
  address: null,
  business_name: null,
  email: null,
  individual_name: null,
  name: null,
  phone: null,
  tax_exempt: 'none',
  tax_ids: [],
}

/** Fields that have one value in all our sessions. */
const unused = {
  object: 'checkout.session',
  adaptive_pricing: null,
  after_expiration: null,
  allow_promotion_codes: null,
  allowed_payment_method_types: null,
  automatic_tax: { enabled: false, liability: null, provider: null, status: null },
  billing_address_collection: null,
  client_secret: null,
  collected_information: null,
  consent: null,
  consent_collection: null,
  currency: 'usd',
  currency_conversion: null,
  custom_fields: [],
  custom_text: {
    after_submit: null,
    shipping_address: null,
    submit: null,
    terms_of_service_acceptance: null,
  },
  customer_account: null,
  customer_creation: null,
  customer_email: null,
  discounts: [],
  integration_identifier: null,
  invoice: null,
  invoice_creation: null,
  livemode: false,
  locale: null,
  managed_payments: null,
  mode: 'subscription',
  origin_context: null,
  payment_intent: null,
  payment_link: null,
  payment_method_collection: 'always',
  payment_method_configuration_details: null,
  payment_method_options: {},
  payment_method_types: ['card'],
  payment_status: 'unpaid',
  permissions: null,
  phone_number_collection: { enabled: false },
  recovered_from: null,
  saved_payment_method_options: {
    allow_redisplay_filters: ['always'],
    payment_method_remove: 'disabled',
    payment_method_save: null,
  },
  setup_intent: null,
  shipping_address_collection: null,
  shipping_cost: null,
  shipping_options: [],
  status: 'open',
  submit_type: null,
  subscription: null,
  total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
  ui_mode: 'hosted_page',
  wallet_options: null,
} satisfies Partial<Session>
