import { Check } from 'lucide-react'
import { useId, type ReactNode } from 'react'
import { planOffers, type Plan } from '#domain/plans.ts'

interface PlanCardProps {
  plan: Plan
  isCurrent: boolean
  /** ISO 8601, for the current plan when it is paid for. */
  paidUntil: string | null
  /** The buttons. */
  children: ReactNode
}

/** One plan with its price, what is in it, and what can be done about it. */
export function PlanCard({ plan, isCurrent, paidUntil, children }: PlanCardProps) {
  const id = useId()
  const { name, price, priceBefore, features } = planOffers[plan]
  const isPopular = plan === 'pro'
  return (
    <li>
      <article
        aria-labelledby={id}
        className={`flex h-full flex-col rounded-3xl border bg-surface p-6 sm:p-7 ${isPopular ? 'border-accent shadow-lift' : 'border-line'}`}
      >
        <div className="flex min-h-8 flex-wrap items-center gap-2">
          <h2 id={id} className="mr-auto text-xl font-semibold tracking-tight">
            {name}
          </h2>
          {isPopular ? (
            <span className="rounded-full bg-accent px-3 py-1 text-sm font-medium text-accent-ink">
              Most Popular
            </span>
          ) : null}
          {isCurrent ? (
            <span className="rounded-full border border-edge px-3 py-1 text-sm font-medium">
              Current Plan
            </span>
          ) : null}
        </div>
        <Price price={price} before={priceBefore} />
        {paidUntil === null ? null : (
          <p className="mt-2 text-sm text-ink-soft">
            The period that you have paid for ends on{' '}
            <time dateTime={paidUntil}>{date.format(new Date(paidUntil))}</time>.
          </p>
        )}
        <ul className="mt-6 mb-7 grid gap-2.5 border-t border-line pt-6 text-[15px]">
          {features.map((feature) => (
            <li key={feature} className="flex gap-2.5">
              <Check size={18} aria-hidden className="mt-0.5 shrink-0 text-accent-text" />
              {feature}
            </li>
          ))}
        </ul>
        <div className="mt-auto grid gap-2">{children}</div>
      </article>
    </li>
  )
}

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })

function Price({ price, before }: { price: number; before: number | null }) {
  return (
    <p className="mt-4 flex flex-wrap items-baseline gap-x-2 gap-y-1 tabular-nums">
      {before === null ? null : (
        <s className="text-xl text-ink-faint">
          <span className="sr-only">Before: </span>${before}
        </s>
      )}
      <span>
        <span className="text-5xl font-semibold tracking-[-0.04em]">${price}</span>
        <span className="text-ink-soft">{price === 0 ? ' forever' : '/month'}</span>
      </span>
      {before === null ? null : (
        <span className="ml-auto self-center rounded-full bg-accent-wash px-2.5 py-1 text-sm font-medium text-accent-text">
          50% off
        </span>
      )}
    </p>
  )
}
