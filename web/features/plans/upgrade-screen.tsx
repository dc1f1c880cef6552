import { useEffect } from 'react'
import { plans } from '#domain/plans.ts'
import { upgradeTexts } from '#domain/texts.ts'
import { useSession } from '#web/session/session.ts'
import { tellOtherTabs, useSubscription } from '#web/plan/subscription.ts'
import { site } from '#web/site.ts'
import { useTitle } from '#web/ui/use-title.ts'
import { BlockedTab } from './blocked-tab.tsx'
import { NoAction, PlanAction } from './plan-action.tsx'
import { PlanCard } from './plan-card.tsx'
import { planNotes } from './plan-notes.tsx'
import { usePaymentPage } from './payment-page.ts'
import { usePaymentSuccess } from './payment-success.ts'

/** The three plans, for signed-out people too. */
export function UpgradeScreen() {
  useTitle('Upgrade · Hoplet')
  const session = useSession()
  const userId = session.status === 'signed-in' ? session.userId : null
  const quick = usePaymentSuccess()
  const subscription = useSubscription(userId, quick)
  const plan = subscription?.plan
  useEffect(() => {
    if (quick !== false && userId !== null && plan !== undefined) tellOtherTabs(userId)
  }, [quick, userId, plan])
  const payment = usePaymentPage()
  const isLoading = session.status === 'loading' || (userId !== null && subscription === undefined)

  return (
    <div className="mx-auto w-full max-w-5xl px-4 py-10 sm:px-6 sm:py-16">
      <h1 className="text-3xl font-semibold tracking-[-0.03em] sm:text-5xl">Choose your plan</h1>
      <p className="mt-3 max-w-xl text-lg text-ink-soft text-pretty">
        Start free and stay as long as you like. Your links keep working on every plan.
      </p>
      {site.payments === 'none' ? (
        <p className="mt-6 rounded-2xl border border-line bg-sunken px-5 py-4 text-ink-soft">
          {upgradeTexts.noPayments}
        </p>
      ) : null}
      <BlockedTab url={payment.blockedUrl} />
      <output className="sr-only">{isLoading ? 'Loading your plan' : ''}</output>
      <ul className="mt-10 grid items-stretch gap-6 sm:mt-14 lg:gap-4 lg:grid-cols-3">
        {plans.map((offered) => (
          <PlanCard
            key={offered}
            plan={offered}
            isCurrent={plan === offered}
            notes={planNotes(offered, subscription)}
          >
            {isLoading ? (
              <NoAction />
            ) : (
              <PlanAction
                plan={offered}
                current={plan}
                paid={subscription?.paid_plan ?? null}
                payment={payment}
              />
            )}
          </PlanCard>
        ))}
      </ul>
      <div className="mt-8 grid gap-1 text-center text-[15px] text-ink-soft sm:mt-10">
        <p>{upgradeTexts.included}</p>
        <p>{upgradeTexts.enterprise}</p>
      </div>
    </div>
  )
}
