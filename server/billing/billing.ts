import { randomBytes } from 'node:crypto'
import { routes } from '#domain/routes.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { openCheckout } from './checkout.ts'
import { billingErrors } from './errors.ts'
import type { BillingParts } from './parts.ts'
import { openPortal } from './portal.ts'
import type { ReconcileResult } from './reconcile.ts'
import { startReconciling } from './reconciling.ts'
import { createSandbox, type Sandbox, sandboxKey } from './sandbox/sandbox.ts'
import { pricesOf } from './settings.ts'
import { shareCalls } from './share-calls.ts'
import { askProvider, createStripeClient } from './stripe-client.ts'
import { readSubscription, type Subscription } from './subscription-of.ts'
import { type EventOutcome, takeEvent } from './take-event.ts'

/** Payments: what a person pays for, and the pages where that is done. */
export interface Billing {
  /** From our own tables alone: no provider is asked. */
  subscriptionOf(userId: string): Promise<Subscription>
  /** The address of a checkout page. @throws {HttpError} 400, 409 or 503 */
  openCheckout(userId: string, priceId: string): Promise<string>
  /** The address of the person's portal. @throws {HttpError} 404 or 503 */
  openPortal(userId: string): Promise<string>
  /** @throws {HttpError} 400 or 503, so that the provider sends it again */
  takeEvent(rawBody: string, signature: string | null): Promise<EventOutcome>
  /** Heals what events have missed; also runs by itself. */
  reconcile(): Promise<ReconcileResult>
  /** When it takes the money; its pages are at /sandbox. */
  sandbox: Sandbox | undefined
  close(): Promise<void>
}

interface Surroundings {
  config: Pick<Config, 'payments'> & { publicUrl: string }
  database: Database
  log: Logger
}

/** Opens the payments that are configured: Stripe, the sandbox, or none. */
export function createBilling(surroundings: Surroundings): Billing {
  const { config, database, log } = surroundings
  const { payments } = config
  const subscription = (userId: string) => readSubscription(database, payments, userId)
  if (!payments) {
    const refuse = () => Promise.reject(billingErrors.notSetUp())
    return {
      subscriptionOf: subscription,
      openCheckout: refuse,
      openPortal: refuse,
      takeEvent: refuse,
      reconcile: () => Promise.resolve({ drift: 0, failures: 0, skipped: true }),
      sandbox: undefined,
      close: () => Promise.resolve(),
    }
  }

  const sandbox = payments.provider === 'sandbox' ? createSandbox({ database, log }) : undefined
  const parts: BillingParts = {
    provider: payments.provider,
    stripe:
      payments.provider === 'stripe'
        ? createStripeClient(payments)
        : createStripeClient({ secretKey: sandboxKey, fetch: sandbox?.fetch }),
    prices: pricesOf(payments),
    livemode: payments.provider === 'stripe' && /^.k_live_/.test(payments.secretKey),
    webhookSecret:
      payments.provider === 'stripe'
        ? payments.webhookSecret
        : `whsec_${randomBytes(24).toString('hex')}`,
    // Read each time: the port may be known only when the server listens.
    upgradeUrl: () => `${config.publicUrl}${routes.upgrade.path}`,
    database,
    log,
    closing: false,
  }
  sandbox?.onEvent((event) => deliver(parts, JSON.stringify(event)))
  const checkout = shareCalls<string>()
  const reconciling = startReconciling(parts)
  return {
    subscriptionOf: subscription,
    openCheckout: (userId, priceId) =>
      checkout(userId, priceId, () => askProvider(log, () => openCheckout(parts, userId, priceId))),
    openPortal: (userId) => askProvider(log, () => openPortal(parts, userId)),
    takeEvent: (rawBody, signature) => takeEvent(parts, rawBody, signature),
    reconcile: reconciling.run,
    sandbox,
    async close() {
      await reconciling.close()
      await sandbox?.close()
    },
  }
}

/** The sandbox's events come as Stripe's do: as text with a signature. */
async function deliver(parts: BillingParts, payload: string): Promise<void> {
  const secret = parts.webhookSecret ?? ''
  const signature = parts.stripe.webhooks.generateTestHeaderString({ payload, secret })
  await takeEvent(parts, payload, signature)
}
