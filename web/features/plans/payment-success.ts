import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { routes } from '#domain/routes.ts'
import { planNotices } from '#domain/texts/plan-texts.ts'
import { notifySuccess } from '#web/ui/toasts/notify.ts'

const route = getRouteApi(routes.upgrade.path)

const quickIntervalMs = 1_000
const quickForMs = 10_000

/**
 * Says once that a payment was successful (`?success=true`). Returns how often to ask for the subscription: quickly for
 * ten seconds, because the provider's message may come after the person; then no more than the poll does.
 */
export function usePaymentSuccess(): number | false {
  const { success } = route.useSearch()
  const navigate = useNavigate()
  const wasSaid = useRef(false)
  const [every, setEvery] = useState<number | false>(false)

  useEffect(() => {
    if (success !== true || wasSaid.current) return
    wasSaid.current = true
    notifySuccess(planNotices.paymentSuccessful)
    setEvery(quickIntervalMs)
    // A reload or the Back button is not a second payment.
    void navigate({ to: routes.upgrade.path, replace: true })
  }, [success, navigate])

  useEffect(() => {
    if (every === false) return undefined
    const timer = setTimeout(() => setEvery(false), quickForMs)
    return () => clearTimeout(timer)
  }, [every])

  return every
}
