import { cancelWanted } from './cancel.ts'
import type { BillingParts } from './parts.ts'
import { reconcile, type ReconcileResult } from './reconcile.ts'
import { factsOf } from './stripe-client.ts'

const every = 10 * 60_000
/** A deleted or blocked account must not be charged in the meantime. */
const cancelEvery = 60_000

export interface Reconciling {
  /** Joins the run that is under way. */
  run(): Promise<ReconcileResult>
  close(): Promise<void>
}

/** Reconciles at the start and every ten minutes; looks every minute for subscriptions to cancel. */
export function startReconciling(parts: BillingParts): Reconciling {
  let running: Promise<ReconcileResult> | undefined
  let cancelling: Promise<void> | undefined
  const run = () => (running ??= reconcile(parts).finally(() => (running = undefined)))
  const report = (error: unknown) => parts.log.error(factsOf(error), 'payments were not reconciled')
  const cancel = () => {
    if (running) return
    cancelling ??= cancelWanted(parts, { drift: 0, failures: 0 })
      .catch(report)
      .finally(() => (cancelling = undefined))
  }
  const timers = [
    setInterval(() => void run().catch(report), every),
    setInterval(cancel, cancelEvery),
  ]
  for (const timer of timers) timer.unref()
  void run().catch(report)
  return {
    run,
    async close() {
      for (const timer of timers) clearInterval(timer)
      parts.closing = true
      await Promise.allSettled([running, cancelling])
    },
  }
}
