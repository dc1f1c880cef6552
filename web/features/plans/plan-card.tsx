import { Check, Minus } from 'lucide-react'
import { useId, type ReactNode } from 'react'
import { planOffers, type Plan } from '#domain/plans.ts'

interface PlanCardProps {
  plan: Plan
  isCurrent: boolean
  /** Said above the buttons. */
  notes: readonly ReactNode[]
  /** The buttons. */
  children: ReactNode
}

/** One plan with its price, what is in it, and what can be done about it. */
export function PlanCard({ plan, isCurrent, notes, children }: PlanCardProps) {
  const id = useId()
  const { name, price, priceBefore, features } = planOffers[plan]
  const isPopular = plan === 'pro'
  return (
    <li>
      <article
        aria-labelledby={id}
        className={`relative flex h-full flex-col rounded-3xl border bg-surface p-6 sm:p-7 ${isPopular ? 'border-accent shadow-lift' : 'border-line'}`}
      >
        <div className="flex min-h-8 items-center justify-between gap-2">
          <h2 id={id} className="text-xl font-semibold tracking-tight">
            {name}
          </h2>
          {isCurrent ? (
            <span className="rounded-full border border-edge px-3 py-1 text-sm font-medium">
              Current Plan
            </span>
          ) : null}
        </div>
        {isPopular ? (
          <p className="absolute -top-3.5 left-6 rounded-full bg-accent px-3 py-1 text-sm font-medium text-accent-ink sm:left-7">
            Most Popular
          </p>
        ) : null}
        <Price price={price} before={priceBefore} />
        <ul className="mt-5 mb-7 grid gap-2.5 border-t border-line pt-6 text-[15px]">
          {features.map((feature) => (
            <Feature key={feature} text={feature} />
          ))}
        </ul>
        <div className="mt-auto grid gap-3">
          {notes.map((note, index) => (
            <p key={index} className="text-center text-sm text-pretty text-ink-soft">
              {note}
            </p>
          ))}
          {children}
        </div>
      </article>
    </li>
  )
}

function Price({ price, before }: { price: number; before: number | null }) {
  return (
    <div className="mt-4 tabular-nums">
      <p>
        <span className="text-5xl font-semibold tracking-[-0.04em]">${price}</span>
        <span className="text-ink-soft">{price === 0 ? ' forever' : '/month'}</span>
      </p>
      <p
        className={`mt-2 min-h-7 items-center gap-2.5 ${before === null ? 'hidden lg:flex' : 'flex'}`}
      >
        {before === null ? null : (
          <>
            <s className="text-lg text-ink-faint">
              <span className="sr-only">Before: </span>${before}
            </s>
            <span className="rounded-full bg-accent-wash px-2.5 py-1 text-sm font-medium text-accent-text">
              50% off
            </span>
          </>
        )}
      </p>
    </div>
  )
}

function Feature({ text }: { text: string }) {
  const Icon = text.startsWith('No ') ? Minus : Check
  return (
    <li className="flex gap-2.5">
      <Icon
        size={18}
        aria-hidden
        className={`mt-0.5 shrink-0 ${Icon === Check ? 'text-accent-text' : 'text-ink-faint'}`}
      />
      {text}
    </li>
  )
}
