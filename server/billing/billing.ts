import { routes } from '#domain/routes.ts'
import type { Config } from '../config.ts'
import { HttpError } from '../http/errors.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import { createCounts } from '../primitives/counts.ts'
import type { Jobs, PeriodicJob } from '../primitives/jobs.ts'
import { cancelRequested } from './cancel-requests.ts'
import { countCalls, createPaymentCalls } from './count-calls.ts'
import { checkoutUrlFor, portalUrlFor } from './checkout.ts'
import type { BillingDeps } from './deps.ts'
import { billingErrors, orProviderDown } from './errors.ts'
import { handleEvent, handleWebhook } from './handle-event.ts'
import { createPlayMoneyPages } from './play-money/pages.ts'
import { startPlayMoney } from './play-money/play-money.ts'
import { createPlayMoneyProvider } from './play-money/provider.ts'
import type { ProviderEvent } from './provider.ts'
import { reconcile, type ReconcileResult } from './reconcile.ts'
import type { PaymentSettings } from './settings.ts'
import { createStripeProvider } from './stripe/provider.ts'
import { readSubscriptionStatus } from './subscription-status.ts'

/** `refused`: not correctly signed. `failed`: could not be handled now, so that the provider sends it again. */
const webhookOutcomes = ['applied', 'ignored', 'known', 'refused', 'failed'] as const

/** Payments: plans, checkout and portal. */
export type Billing = ReturnType<typeof withProvider>

interface BillingOptions {
  config: Pick<Config, 'installation' | 'payments'> & { publicUrl: string }
  database: Database
  log: Logger
  jobs: Jobs
}

/** Opens the payments that are configured: Stripe, play money, or none. */
export function createBilling(options: BillingOptions): Billing {
  const { payments } = options.config
  return payments ? withProvider(options, payments) : withoutProvider(options)
}

function withoutProvider(options: BillingOptions): Billing {
  const { database } = options
  // Without plans none is taken away: they may come back.
  const voiding = options.config.installation.hasPlans ? startVoidingPlayMoney(options) : undefined
  const refuse = () => Promise.reject(billingErrors.notSetUp())
  return {
    subscriptionOf: (userId) => readSubscriptionStatus(database, undefined, userId),
    openCheckout: refuse,
    openPortal: refuse,
    handleWebhook: refuse,
    calls: createPaymentCalls(),
    webhooks: createCounts(webhookOutcomes),
    reconcile: () => Promise.resolve({ drift: 0, failures: 0, skipped: true }),
    playMoney: undefined,
    close: async () => voiding?.close(),
  }
}

function withProvider(options: BillingOptions, payments: PaymentSettings) {
  const { config, database, log, jobs } = options
  const isReal = payments.provider === 'stripe'
  const calls = createPaymentCalls()
  const webhooks = createCounts(webhookOutcomes)
  const provider = isReal ? createStripeProvider(payments) : createPlayMoneyProvider(database)
  const deps: BillingDeps = {
    provider: countCalls(provider, calls),
    // Read at each call: the port may be known only after listen().
    upgradeUrl: () => `${config.publicUrl}${routes.upgrade.path}`,
    database,
    log,
    closing: false,
  }
  let running: Promise<ReconcileResult> | undefined
  const run = () => (running ??= reconcile(deps).finally(() => (running = undefined)))
  const started = [
    jobs.add('reconcile payments', { everyMs: 600_000, firstRunMs: 0 }, run),
    // A deleted or blocked account must not be charged in the meantime.
    jobs.add(
      'cancel subscriptions',
      { everyMs: 60_000 },
      async () => running ?? cancelRequested(deps, { drift: 0, failures: 0 }),
    ),
  ]
  const events = { database, log, handleEvent: (event: ProviderEvent) => handleEvent(deps, event) }
  started.push(isReal ? startVoidingPlayMoney(options) : startPlayMoney({ ...events, jobs }))
  const checkouts = new Map<string, Promise<string>>()
  return {
    /** Reads only our own tables; no provider is asked. */
    subscriptionOf: (userId: string) => readSubscriptionStatus(database, payments, userId),
    /** The address of a checkout page. @throws {HttpError} 400, 409 or 503 */
    openCheckout(userId: string, priceId: string) {
      // The second click of a double click joins the first.
      const key = `${userId} ${priceId}`
      const url =
        checkouts.get(key) ??
        orProviderDown(log, () => checkoutUrlFor(deps, userId, priceId)).finally(() =>
          checkouts.delete(key),
        )
      checkouts.set(key, url)
      return url
    },
    /** The address of the person's portal. @throws {HttpError} 404 or 503 */
    openPortal: (userId: string) => orProviderDown(log, () => portalUrlFor(deps, userId)),
    /** @throws {HttpError} 400 or 503, so that the provider sends it again */
    async handleWebhook(rawBody: string, signature: string | null) {
      try {
        const outcome = await handleWebhook(deps, rawBody, signature)
        webhooks.add(outcome)
        return outcome
      } catch (error) {
        const isRefused = error instanceof HttpError && error.status === 400
        webhooks.add(isRefused ? 'refused' : 'failed')
        throw error
      }
    },
    /** Calls to the provider by outcome. */
    calls,
    webhooks,
    /** Heals missed events; also runs periodically. Joins the run in progress. */
    reconcile: run,
    /** The pages of play money, at /sandbox, when it is configured. */
    playMoney: isReal ? undefined : createPlayMoneyPages({ config, ...events }),
    async close() {
      deps.closing = true
      await Promise.allSettled([...started.map((job) => job.close()), running])
    },
  }
}

/**
 * Voids the effects of play money on a server that takes real money: its plans fall to free, its commissions are
 * canceled, its accounts are gone. Retried, and repeated for late bookings of other processes.
 */
function startVoidingPlayMoney({ database, log, jobs }: BillingOptions): PeriodicJob {
  return jobs.add('void play money', { everyMs: 60_000, firstRunMs: 0 }, async () => {
    const [voided] = await queryAs<{ plans: number; commissions: number }>(
      database,
      { role: 'hoplet_billing' },
      'select plans, commissions from app.void_play_money()',
    )
    if (voided && voided.plans + voided.commissions > 0)
      log.warn(voided, 'play money is off: its plans fell to free, its commissions are canceled')
  })
}
