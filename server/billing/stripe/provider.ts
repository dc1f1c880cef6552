import Stripe from 'stripe'
import { sha256 } from '../../primitives/sha256.ts'
import type { CheckoutSession, PayingAccount, PaymentProvider, PortalVisit } from '../provider.ts'
import type { PaymentSettings } from '../settings.ts'
import { callStripe, createStripeClient } from './client.ts'
import { stripeEventTypes, toProviderEvent, verifyStripeEvent } from './events.ts'
import { readStripeSnapshot } from './read-snapshot.ts'
import { ifError } from '../../primitives/caught-error.ts'

type StripeSettings = Extract<PaymentSettings, { provider: 'stripe' }>

const maxEvents = 10_000

/** Real money: Checkout, the customer portal and webhooks of Stripe. */
export function createStripeProvider(settings: StripeSettings): PaymentProvider {
  const { secretKey, webhookSecret, prices, apiUrl } = settings
  const stripe = createStripeClient(secretKey, apiUrl)
  const livemode = /^.k_live_/.test(secretKey)
  const eventOf = (event: Stripe.Event) => toProviderEvent(stripe, livemode, event)
  return {
    name: 'stripe',
    prices,
    ensureCustomer: (account) =>
      callStripe(
        async () => (await findKnown(stripe, account)) ?? (await createCustomer(stripe, account)),
      ),
    createCheckout: ({ customerId, priceId, successUrl, cancelUrl, idempotencyKey }) =>
      callStripe(async () =>
        sessionOf(
          await stripe.checkout.sessions.create(
            {
              mode: 'subscription',
              customer: customerId,
              line_items: [{ price: priceId, quantity: 1 }],
              success_url: successUrl,
              cancel_url: cancelUrl,
            },
            { idempotencyKey },
          ),
        ),
      ),
    readCheckout: (id) => callStripe(() => readCheckout(stripe, id)),
    expireCheckout: (id) => callStripe(() => expireCheckout(stripe, id)),
    openPortal: (visit) =>
      callStripe(async () => {
        const { customerId: customer, returnUrl: return_url } = visit
        const flow_data = flowOf(visit)
        const session = await stripe.billingPortal.sessions.create({
          customer,
          return_url,
          ...(flow_data && { flow_data }),
        })
        return session.url
      }),
    readSnapshot: (customerId) => callStripe(() => readStripeSnapshot(stripe, prices, customerId)),
    cancelSubscription: (id) =>
      callStripe(async () => {
        await stripe.subscriptions.cancel(id)
      }),
    listEvents: (since) =>
      callStripe(async () => {
        const created = { gte: Math.floor(since.getTime() / 1000) }
        const events = await stripe.events
          .list({ created, types: [...stripeEventTypes], limit: 100 })
          .autoPagingToArray({ limit: maxEvents })
        return events.map(eventOf)
      }),
    readWebhook:
      webhookSecret === undefined
        ? undefined
        : (rawBody, signature) =>
            eventOf(verifyStripeEvent(stripe, rawBody, signature, webhookSecret)),
  }
}

/** Our tables may be older than Stripe's: an account from before a restored backup has its customer there. */
async function findKnown(
  stripe: Stripe,
  { userId, email, releasedCustomers }: PayingAccount,
): Promise<string | undefined> {
  const { data } = await stripe.customers.list({ email, limit: 100 })
  return data.find(
    ({ id, metadata }) => metadata['hoplet_user_id'] === userId && !releasedCustomers.includes(id),
  )?.id
}

async function createCustomer(
  stripe: Stripe,
  { userId, email, releasedCustomers }: PayingAccount,
): Promise<string> {
  // The same key with another address would be refused, and after a deletion it would name the deleted customer.
  const version = sha256(JSON.stringify([email, releasedCustomers]))
    .toString('hex')
    .slice(0, 16)
  const customer = await stripe.customers.create(
    { email, metadata: { hoplet_user_id: userId } },
    { idempotencyKey: `hoplet-customer-${userId}-${version}` },
  )
  return customer.id
}

function sessionOf({ id, status, url }: Stripe.Checkout.Session): CheckoutSession {
  return { id, url: status === 'open' ? url : null }
}

/** Undefined for a session of the other mode, too. */
async function readCheckout(stripe: Stripe, id: string): Promise<CheckoutSession | undefined> {
  try {
    return sessionOf(await stripe.checkout.sessions.retrieve(id))
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && error.code === 'resource_missing')
      return undefined
    throw error
  }
}

function expireCheckout(stripe: Stripe, id: string): Promise<boolean> {
  return stripe.checkout.sessions.expire(id).then(
    () => true,
    ifError(Stripe.errors.StripeInvalidRequestError, async (error) => {
      if ((await readCheckout(stripe, id))?.url) throw error
      return false
    }),
  )
}

/** Straight to the page that confirms another price; debts and ending subscriptions are settled in the portal first. */
function flowOf({ change }: PortalVisit): Stripe.BillingPortal.SessionCreateParams['flow_data'] {
  if (!change || change.subscription.itemId === null) return undefined
  return {
    type: 'subscription_update_confirm',
    subscription_update_confirm: {
      subscription: change.subscription.id,
      items: [{ id: change.subscription.itemId, price: change.priceId, quantity: 1 }],
    },
  }
}
