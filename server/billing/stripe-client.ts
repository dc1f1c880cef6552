import Stripe from 'stripe'
import { billingErrors } from './errors.ts'
import { HttpError } from '../http/errors.ts'
import type { Logger } from '../log.ts'

/** For a person who waits, and for Stripe, which waits for an answer to its event. */
const timeout = 10_000

interface Address {
  secretKey: string
  apiUrl?: string | undefined
  /** Answers in place of the network: the sandbox. */
  fetch?: ((url: string | URL | Request, init?: RequestInit) => Promise<Response>) | undefined
}

export function createStripeClient({ secretKey, apiUrl, fetch }: Address): Stripe {
  const url = apiUrl === undefined ? undefined : new URL(apiUrl)
  return new Stripe(secretKey, {
    timeout,
    maxNetworkRetries: 1,
    telemetry: false,
    ...(fetch && { httpClient: Stripe.createFetchHttpClient(fetch) }),
    ...(url && {
      protocol: url.protocol === 'https:' ? 'https' : 'http',
      host: url.hostname,
      port: url.port || (url.protocol === 'https:' ? 443 : 80),
    }),
  })
}

/** True when the provider says that what we named is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'resource_missing'
}

/** True when the customer was deleted there, or belongs to the provider's other mode. */
export function isCustomerGone(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeError && isMissing(error) && error.param === 'customer'
  )
}

/** True when asking for anything else would fail as well. */
export function isAway(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeError &&
    !(error instanceof Stripe.errors.StripeInvalidRequestError)
  )
}

/** What the log may hold of a provider's error: its message can quote keys and addresses. */
export function factsOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Stripe.errors.StripeError)) return { err: error }
  const { type, code, param, statusCode, requestId } = error
  return { provider_error: type, code, param, status: statusCode, provider_request_id: requestId }
}

/** Turns a failure of the provider into the answer that people and Stripe read: 503. */
export async function askProvider<T>(log: Logger, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof HttpError || !(error instanceof Stripe.errors.StripeError)) throw error
    log.error(factsOf(error), 'the payment provider failed')
    throw billingErrors.providerDown()
  }
}
