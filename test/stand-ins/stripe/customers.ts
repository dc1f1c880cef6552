import type Stripe from 'stripe'
import { newId } from './ids.ts'
import { metadataOf, type Params, textOf } from './params.ts'
import { emit, get, save, type Work } from './work.ts'

export async function createCustomer(work: Work, params: Params): Promise<Stripe.Customer> {
  const id = newId('cus', 14)
  const customer = await save(work, {
    id,
    object: 'customer',
    address: null,
    balance: 0,
    created: work.now,
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: textOf(params, 'description') ?? null,
    discount: null,
    email: textOf(params, 'email') ?? null,
    invoice_prefix: id.slice(-8).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: metadataOf(params),
    name: textOf(params, 'name') ?? null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  } satisfies Stripe.Customer)
  await emit(work, 'customer.created', customer)
  return customer
}

export async function updateCustomer(
  work: Work,
  params: Params,
  id: string,
): Promise<Stripe.Customer> {
  const customer = await get(work, 'customer', id)
  const { email, name, description } = customer
  customer.email = textOf(params, 'email') ?? email
  customer.name = textOf(params, 'name') ?? name ?? null
  customer.description = textOf(params, 'description') ?? description
  customer.metadata = { ...customer.metadata, ...metadataOf(params) }
  await emit(work, 'customer.updated', await save(work, customer), { email, name, description })
  return customer
}
