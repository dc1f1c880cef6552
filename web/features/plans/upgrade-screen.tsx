import { useEffect, useState, type ReactNode } from 'react'
import { ExternalLink, Check } from 'lucide-react'
import { Link } from '@tanstack/react-router'
import { plans, type Plan, planLimits, planOffers } from '#domain/plans.ts'
import { upgradeTexts } from '#domain/texts/plan-texts.ts'
import { hasStoredSession, useSession } from '#web/session/session.ts'
import { usePlan } from '#web/plan/plan.ts'
import { notifyOtherTabs, useSubscription, type Subscription } from '#web/plan/subscription.ts'
import { site } from '#web/site.ts'
import { Screen } from '#web/ui/screen.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { routes } from '#domain/routes.ts'
import { LimitsTable } from './limits-table.tsx'
import { isMarkedInPlace, NoAction, PlanAction } from './plan-action.tsx'
import { PlanCard } from './plan-card.tsx'
import { usePaymentPage, type OpenedPage } from './payment-page.ts'
import { usePaymentSuccess } from './payment-success.ts'

/** The three plans, for signed-out people too. */
export function UpgradeScreen() {
  useTitle('Upgrade · Hoplet')
  const session = useSession()
  const userId = session.status === 'signed-in' ? session.userId : null
  const quick = usePaymentSuccess()
  const subscription = useSubscription(userId, quick)
  const plan = usePlanInForce(userId, subscription)
  const hasPaid = useHasPaid(userId, quick !== false, subscription)
  useEffect(() => {
    if (quick !== false && userId !== null && plan !== undefined) notifyOtherTabs(userId)
  }, [quick, userId, plan])
  const paid = subscription?.paid_plan ?? null
  const payment = usePaymentPage(subscription)
  const isLoading = session.status === 'loading' || (userId !== null && plan === undefined)

  return (
    <Screen
      title="Choose your plan"
      intro="Start free and stay as long as you like. Your links keep working on every plan."
    >
      {hasPaid && plan !== undefined && plan !== 'free' ? <PlanOpened plan={plan} /> : null}
      {site.payments === 'stripe' ? null : (
        <p className="rounded-2xl border border-line bg-sunken px-5 py-4 text-ink-soft">
          {site.payments === 'none' ? upgradeTexts.noPayments : upgradeTexts.playMoney}
        </p>
      )}
      <output className="sr-only">{isLoading ? 'Loading your plan' : ''}</output>
      <ul className="mt-8 grid items-stretch gap-6 rail:grid-cols-3 rail:gap-x-4 rail:gap-y-0 rail:max-lg:gap-x-3">
        {plans.map((offered) => (
          <PlanCard
            key={offered}
            plan={offered}
            isCurrent={plan === offered}
            hasMark={plan === offered && !isMarkedInPlace(offered, plan, paid)}
            // Known from the start, so that nothing moves.
            isAside={offered === 'free' && hasStoredSession()}
            notes={planNotes(offered, plan, subscription)}
          >
            {isLoading ? (
              <NoAction />
            ) : (
              <PlanAction plan={offered} current={plan} paid={paid} payment={payment} />
            )}
            <PaymentTab opened={payment.opened?.plan === offered ? payment.opened : undefined} />
          </PlanCard>
        ))}
      </ul>
      <LimitsTable current={plan} />
      <div className="mt-8 grid gap-1 text-sm text-ink-soft">
        <p>{upgradeTexts.included}</p>
        <p>
          {site.contact === '' ? (
            upgradeTexts.enterprise
          ) : (
            <a
              href={`mailto:${site.contact.split('@').map(encodeURIComponent).join('@')}`}
              className="font-medium text-ink underline underline-offset-4"
            >
              {upgradeTexts.enterprise}
            </a>
          )}
        </p>
      </div>
    </Screen>
  )
}

/**
 * The plan in force. A failed check falls back to no subscription, as the specification says; the plan of the account is read
 * apart, and Free beside a sidebar that says Business would be wrong.
 */
function usePlanInForce(
  userId: string | null,
  subscription: Subscription | undefined,
): Plan | undefined {
  const account = usePlan(userId)
  if (subscription === undefined || subscription.is_checked) return subscription?.plan
  return account?.plan
}

/** Whether a payment was made: in this tab, or in another one while this screen is open. */
function useHasPaid(
  userId: string | null,
  isBack: boolean,
  subscription: Subscription | undefined,
): boolean {
  const [hasPaid, setPaid] = useState(false)
  const [known, setKnown] = useState<{ userId: string | null; plan: Plan }>()
  if (isBack && !hasPaid) setPaid(true)
  const now = subscription?.is_checked === true ? subscription.plan : undefined
  if (now !== undefined && (known?.plan !== now || known.userId !== userId)) {
    setKnown({ userId, plan: now })
    if (known?.userId === userId && plans.indexOf(now) > plans.indexOf(known.plan)) setPaid(true)
  }
  return hasPaid
}

/** Notes on the card of a plan about the person's own subscription. */
function planNotes(
  plan: Plan,
  current: Plan | undefined,
  subscription: Subscription | undefined,
): ReactNode[] {
  if (subscription === undefined) return []
  if (!subscription.is_checked) return plan === current ? [upgradeTexts.notChecked] : []
  const { paid_plan, subscription_end, on_hold, cancel_at_period_end } = subscription
  if (plan === 'free' && subscription.is_play_money_void) return [upgradeTexts.playMoneyVoid]
  if (plan !== paid_plan)
    return plan === subscription.plan && plan !== 'free' ? [upgradeTexts.given] : []
  const notes: ReactNode[] = []
  if (on_hold) notes.push(upgradeTexts.onHold)
  else if (plan !== subscription.plan) notes.push(upgradeTexts.otherPlanSet)
  if (subscription_end !== null) {
    const when = <time dateTime={subscription_end}>{date.format(new Date(subscription_end))}</time>
    notes.push(
      cancel_at_period_end ? (
        <>The period that you have paid for ends on {when}.</>
      ) : (
        <>Your subscription renews on {when}.</>
      ),
    )
  }
  return notes
}

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })

/** Where the payment page is: in another tab, or still to be opened because the browser refused one. */
function PaymentTab({ opened }: { opened: OpenedPage | undefined }) {
  return (
    <output className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-xl bg-sunken p-3 text-sm text-pretty text-ink-soft empty:hidden">
      {opened === undefined ? null : opened.blockedUrl === null ? (
        upgradeTexts.openElsewhere
      ) : (
        <>
          Your browser kept the new tab from opening.
          <a
            href={opened.blockedUrl}
            target="_blank"
            rel="noopener noreferrer"
            className={`${buttonClass('plain', 'small')} h-auto! min-h-11 px-2! py-1 whitespace-normal!`}
          >
            Open the payment page
            <ExternalLink size={16} aria-hidden className="shrink-0" />
          </a>
        </>
      )}
    </output>
  )
}

/** After a payment: the new plan, what it opens, and the way to the clicks. */
function PlanOpened({ plan }: { plan: Plan }) {
  const { shortenedUrls, customCodes, qrCodes } = planLimits[plan]
  const opened = [
    'Clicks and analytics',
    `${shortenedUrls} links a day`,
    `${customCodes} custom codes a day`,
    `${qrCodes} QR codes a day`,
  ]
  return (
    <section
      aria-labelledby="plan-opened"
      className="mb-6 flex flex-wrap items-end justify-between gap-4 rounded-2xl border border-line bg-surface p-5"
    >
      <div>
        <h2 id="plan-opened" className="text-xl font-semibold tracking-tight">
          You are on {planOffers[plan].name}
        </h2>
        <ul className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-sm text-ink-soft">
          {opened.map((text) => (
            <li key={text} className="flex items-center gap-1.5">
              <Check size={15} aria-hidden className="text-good" />
              {text}
            </li>
          ))}
        </ul>
      </div>
      <Link to={routes.analytics.path} className={buttonClass('ink', 'small')}>
        See your clicks
      </Link>
    </section>
  )
}
