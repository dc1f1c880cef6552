import { HttpError } from '../http/errors.ts'
import type { Logger } from '../log.ts'
import { PaymentProviderError } from './provider.ts'
import { replaceError } from '../primitives/caught-error.ts'

/** Every refusal of the payment functions, in words for people. */
export const billingErrors = {
  notSetUp: () => new HttpError(503, 'Payments are not set up on this server.'),
  unknownPrice: () => new HttpError(400, 'This price does not exist.'),
  samePlan: () => new HttpError(409, 'You already have this plan.'),
  /** Two calls at once, for different plans or at different servers. */
  busy: () =>
    new HttpError(409, 'Another checkout is just being opened. Please try again in a moment.'),
  noSubscription: () => new HttpError(404, 'There is no subscription to manage yet.'),
  accountGone: () => new HttpError(401, 'Invalid access token'),
  /** It is down, slow, or refuses us; never the provider's own words. */
  providerDown: () =>
    new HttpError(
      503,
      'The payment provider cannot be reached right now. Please try again later.',
      { 'Retry-After': '30' },
    ),
  webhookOff: () => new HttpError(503, 'Events are not set up on this server.'),
  badSignature: () => new HttpError(400, 'This event is not correctly signed.'),
}

/** Turns a failure of the provider into the response that people and webhooks get: 503. */
export function orProviderDown<T>(log: Logger, work: () => Promise<T>): Promise<T> {
  return work().catch(
    replaceError(PaymentProviderError, ({ facts }) => {
      log.error(facts, 'the payment provider failed')
      return billingErrors.providerDown()
    }),
  )
}
