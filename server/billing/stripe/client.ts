import Stripe from 'stripe'
import { PaymentProviderError } from '../provider.ts'
import { replaceError } from '../../primitives/caught-error.ts'
import { ifDefined } from '../../primitives/if-defined.ts'

/** For a person who waits, and for Stripe, which waits for the response to its event. */
const timeoutMs = 10_000

/** @param apiUrl replaces Stripe's own address, for tests */
export function createStripeClient(secretKey: string, apiUrl: string | undefined): Stripe {
  const url = ifDefined(apiUrl, (address) => new URL(address))
  return new Stripe(secretKey, {
    timeout: timeoutMs,
    maxNetworkRetries: 1,
    telemetry: false,
    ...(url && {
      protocol: url.protocol === 'https:' ? 'https' : 'http',
      host: url.hostname,
      port: url.port || (url.protocol === 'https:' ? 443 : 80),
    }),
  })
}

/** Runs calls to Stripe. @throws {PaymentProviderError} in place of Stripe's own errors */
export function callStripe<T>(work: () => Promise<T>): Promise<T> {
  return work().catch(
    replaceError(
      Stripe.errors.StripeError,
      (error) =>
        new PaymentProviderError(reasonOf(error), {
          provider_error: error.type,
          code: error.code,
          param: error.param,
          status: error.statusCode,
          provider_request_id: error.requestId,
        }),
    ),
  )
}

function reasonOf(error: InstanceType<typeof Stripe.errors.StripeError>) {
  if (error instanceof Stripe.errors.StripeConnectionError) return 'unreachable'
  if (error.statusCode === 409) return 'busy'
  if (error.code === 'resource_missing')
    return error.param === 'customer' ? 'customer_missing' : 'missing'
  return error instanceof Stripe.errors.StripeInvalidRequestError ? 'rejected' : 'failed'
}
