import type Stripe from 'stripe'
import { offerOf } from './catalog.ts'
import { errors } from './errors.ts'
import { newId } from './ids.ts'
import { innerOf, listOf, type Params, requiredText, textOf } from './params.ts'
import { get, save, type Work } from './work.ts'

type Session = Stripe.BillingPortal.Session

/** `POST billing_portal/sessions`: a page where the customer manages the subscription. */
export async function createPortal(work: Work, params: Params): Promise<Session> {
  const customer = await get(work, 'customer', requiredText(params, 'customer'), 'customer')
  // Stripe takes it from the portal's settings when it is missing; the stand-in has none.
  const returnUrl = requiredText(params, 'return_url')
  if (!URL.canParse(returnUrl)) throw errors.wrong('Not a valid URL', 'return_url')
  const id = newId('bps', 48)
  return save(work, {
    id,
    object: 'billing_portal.session',
    configuration: 'bpc_test',
    created: work.now,
    customer: customer.id,
    customer_account: null,
    flow: await flowOf(work, customer.id, innerOf(params, 'flow_data'), returnUrl),
    livemode: false,
    locale: null,
    on_behalf_of: null,
    return_url: returnUrl,
    url: `https://billing.stripe.test/p/${id}`,
  })
}

/** `flow_data`: straight to confirming another price. */
async function flowOf(
  work: Work,
  customer: string,
  flow: Params | undefined,
  returnUrl: string,
): Promise<Session['flow']> {
  if (!flow) return null
  const type = requiredText(flow, 'type')
  if (type !== 'subscription_update_confirm') {
    throw errors.wrong(
      'The stand-in knows the flow subscription_update_confirm only',
      'flow_data[type]',
    )
  }
  const confirm = innerOf(flow, 'subscription_update_confirm')
  if (!confirm) throw errors.required('flow_data[subscription_update_confirm]')
  const param = 'flow_data[subscription_update_confirm][subscription]'
  const subscription = await get(work, 'subscription', requiredText(confirm, 'subscription'), param)
  if (subscription.customer !== customer) {
    throw errors.missingReference('subscription', subscription.id, param)
  }
  const [item] = listOf(confirm, 'items')
  if (typeof item !== 'object') throw errors.required(`${param.replace('subscription]', 'items]')}`)
  const offer = offerOf(requiredText(item, 'price'))
  const redirect = textOf(innerOf(innerOf(flow, 'after_completion'), 'redirect'), 'return_url')
  return {
    after_completion: {
      hosted_confirmation: null,
      redirect: { return_url: redirect ?? returnUrl },
      type: 'redirect',
    },
    customer_update: null,
    subscription_cancel: null,
    subscription_pause: null,
    subscription_update: null,
    subscription_update_confirm: {
      discounts: null,
      items: [{ id: requiredText(item, 'id'), price: offer.priceId, quantity: 1 }],
      subscription: subscription.id,
    },
    type,
  }
}
