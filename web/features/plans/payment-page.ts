import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Plan } from '#domain/plans.ts'
import { planNotices } from '#domain/texts/plan-texts.ts'
import type { Notice } from '#domain/texts/texts.ts'
import { functions } from '#web/api/client.ts'
import type { Subscription } from '#web/plan/subscription.ts'
import { site } from '#web/site.ts'
import { notifyError } from '#web/ui/toasts/notify.ts'

type PaidPlan = Exclude<Plan, 'free'>

export interface PaymentPage {
  checkOut(plan: PaidPlan): void
  /** `plan` is the card with the pressed button. */
  manage(plan: Plan): void
  /** The card that is waiting for its address. */
  busy: Plan | undefined
  opened: OpenedPage | undefined
}

/** The page that was asked for last. */
export interface OpenedPage {
  /** The card with the pressed button. */
  plan: Plan
  /** Its address, when the browser refused the new tab; null when it is open there. */
  blockedUrl: string | null
  /** The subscription at that time. */
  before: Subscription | undefined
}

/**
 * Opens the payment provider's pages, checkout and customer portal, in a new tab. `opened` is over as soon as the
 * subscription is another one.
 */
export function usePaymentPage(subscription: Subscription | undefined): PaymentPage {
  const client = useQueryClient()
  const [busy, setBusy] = useState<Plan>()
  const [opened, setOpened] = useState<OpenedPage>()
  const isOpening = useRef(false)
  if (opened !== undefined && isAnother(opened.before, subscription)) setOpened(undefined)

  function open(plan: Plan, name: string, body: Record<string, string>, failure: Notice): void {
    if (isOpening.current) return
    isOpening.current = true
    setBusy(plan)
    setOpened(undefined)
    // In the click itself: later, a browser takes it for a pop-up and stops it.
    const tab = window.open('', '_blank')
    addressFrom(name, body)
      .then((url) => {
        if (tab !== null) leadOn(tab, url)
        setOpened({ plan, blockedUrl: tab === null ? url : null, before: subscription })
      })
      .catch(() => {
        tab?.close()
        notifyError(failure)
        // A refused change may have been made already, in another tab.
        void client.invalidateQueries({ queryKey: ['account'] })
      })
      .finally(() => {
        isOpening.current = false
        setBusy(undefined)
      })
  }

  return {
    checkOut: (plan) =>
      open(plan, 'create-checkout', { priceId: site.prices[plan] }, planNotices.checkoutFailed),
    manage: (plan) => open(plan, 'customer-portal', {}, planNotices.portalFailed),
    busy,
    opened,
  }
}

/** A check that failed says nothing about it. */
function isAnother(before: Subscription | undefined, now: Subscription | undefined): boolean {
  return now?.is_checked === true && JSON.stringify(before) !== JSON.stringify(now)
}

async function addressFrom(name: string, body: Record<string, string>): Promise<string> {
  const { data, error } = await functions.invoke<{ url?: unknown }>(name, { body, timeout: 30_000 })
  const url = data?.url
  if (error !== null || typeof url !== 'string' || !/^https?:\/\//.test(url))
    throw new Error(`${name} gave no address`)
  return url
}

function leadOn(tab: Window, url: string): void {
  // The provider's page has no business with ours.
  tab.opener = null
  tab.location.replace(url)
}
