import { applySnapshot, type SyncSource } from './apply-snapshot.ts'
import { asBilling, type BillingDeps } from './deps.ts'
import { decidePlan } from './plan-decision.ts'
import type { ProviderEvent, ProviderSnapshot } from './provider.ts'

export interface Synced {
  snapshot: ProviderSnapshot
  /** Every event had its effect before. */
  known: boolean
  /** The plan differs from the one we had. */
  changed: boolean
}

/**
 * Reads one customer at the provider and makes our tables follow.
 *
 * @param events the reason to read; their contents are not trusted
 * @throws {PaymentProviderError | DatabaseUnavailableError} then nothing has changed
 */
export async function syncCustomer(
  deps: BillingDeps,
  customerId: string,
  events: readonly ProviderEvent[] = [],
  source: SyncSource = 'reconcile',
): Promise<Synced> {
  const { provider } = deps
  const ticket = await drawTicket(deps)
  const snapshot = await provider.readSnapshot(customerId)
  const decision = decidePlan(snapshot, provider.prices)
  const reading = { customerId, ticket, snapshot, decision, events, source }
  const outcome = await asBilling(deps, (db) => applySnapshot(db, deps, reading))
  if (outcome.changed) {
    const { plan, subscription } = decision
    deps.log.info(
      { customer: customerId, plan, subscription_status: subscription?.status, source },
      'plan follows the subscription',
    )
  }
  return { snapshot, ...outcome }
}

async function drawTicket(deps: BillingDeps): Promise<string> {
  const { rows } = await asBilling(deps, (db) =>
    db.query<{ ticket: string }>(`select nextval('app.billing_tickets') as ticket`),
  )
  return rows[0]?.ticket ?? '0'
}
