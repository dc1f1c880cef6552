import { inSpan } from '../tracing/span.ts'
import { createCounts } from '../primitives/counts.ts'
import { failureReasons, type PaymentProvider, PaymentProviderError } from './provider.ts'

const calls = [
  'ensureCustomer',
  'createCheckout',
  'readCheckout',
  'expireCheckout',
  'openPortal',
  'readSnapshot',
  'cancelSubscription',
  'listEvents',
] as const satisfies readonly (keyof PaymentProvider)[]

type Call = (typeof calls)[number]

/** `error`: anything but an answer of the provider, for example a lost database of play money. */
const outcomes = ['ok', ...failureReasons, 'error'] as const

export type PaymentCalls = ReturnType<typeof createPaymentCalls>

export function createPaymentCalls() {
  return createCounts(calls, outcomes)
}

/** The same provider, its calls counted by outcome. */
export function countCalls(provider: PaymentProvider, counts: PaymentCalls): PaymentProvider {
  const counted =
    <Args extends unknown[], Result>(call: Call, work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      try {
        const result = await inSpan(`payments ${call}`, { kind: 'client' }, () => work(...args))
        counts.add(call, 'ok')
        return result
      } catch (error) {
        counts.add(call, error instanceof PaymentProviderError ? error.reason : 'error')
        throw error
      }
    }
  return {
    name: provider.name,
    prices: provider.prices,
    ensureCustomer: counted('ensureCustomer', (account) => provider.ensureCustomer(account)),
    createCheckout: counted('createCheckout', (order) => provider.createCheckout(order)),
    readCheckout: counted('readCheckout', (id) => provider.readCheckout(id)),
    expireCheckout: counted('expireCheckout', (id) => provider.expireCheckout(id)),
    openPortal: counted('openPortal', (visit) => provider.openPortal(visit)),
    readSnapshot: counted('readSnapshot', (id) => provider.readSnapshot(id)),
    cancelSubscription: counted('cancelSubscription', (id) => provider.cancelSubscription(id)),
    listEvents: counted('listEvents', (since) => provider.listEvents(since)),
    readWebhook: provider.readWebhook,
  }
}
