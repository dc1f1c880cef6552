import { Check, Dot } from 'lucide-react'
import { useId, type ReactNode } from 'react'
import { planOffers, type Plan } from '#domain/plans.ts'

interface PlanCardProps {
  plan: Plan
  isCurrent: boolean
  /** On a phone: below the others, and only a line while it is the current one. */
  isAside: boolean
  /** Said above the buttons. */
  notes: readonly ReactNode[]
  /** The buttons. */
  children: ReactNode
}

/** One plan with its price, its features, and its action. */
export function PlanCard({ plan, isCurrent, isAside, notes, children }: PlanCardProps) {
  const folded = isAside && isCurrent ? 'max-rail:hidden' : ''
  const id = useId()
  const { name, price, priceBefore, features } = planOffers[plan]
  const isPopular = plan === 'pro'
  return (
    <li className={isAside ? 'max-rail:order-last' : ''}>
      <article
        aria-labelledby={id}
        className={`relative flex h-full flex-col rounded-2xl border bg-surface p-5 sm:p-6 rail:max-lg:p-4 ${isPopular ? 'border-ink shadow-lift' : 'border-line'}`}
      >
        <div className="flex min-h-8 flex-wrap content-start items-center justify-between gap-x-2 gap-y-1.5 rail:max-lg:min-h-17">
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
          <p className="absolute -top-3.5 left-5 rounded-full bg-ink px-3 py-1 text-sm font-medium text-paper sm:left-6 rail:max-lg:left-4">
            Most Popular
          </p>
        ) : null}
        <div className={folded}>
          <Price price={price} before={priceBefore} />
        </div>
        <ul className={`mt-5 mb-6 grid gap-2.5 border-t border-line pt-6 text-sm ${folded}`}>
          {features.map((feature) => (
            <Feature key={feature} text={feature} />
          ))}
        </ul>
        {/* Has the room of the usual note from the start, so that nothing moves when it comes. */}
        <div
          className={`mt-auto mb-3 grid content-end gap-3 ${notes.length === 0 ? folded : ''} ${plan === 'free' ? '' : 'min-h-5 rail:max-lg:min-h-15'}`}
        >
          {notes.map((note, index) => (
            <p key={index} className="text-center text-sm text-pretty text-ink-soft">
              {note}
            </p>
          ))}
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-3 max-rail:empty:hidden">{children}</div>
      </article>
    </li>
  )
}

function Price({ price, before }: { price: number; before: number | null }) {
  return (
    <div className="mt-4 tabular-nums">
      <p>
        <span className="text-5xl font-semibold tracking-[-0.04em]">${price}</span>
        <span className="ml-0.5 text-ink-soft">{price === 0 ? ' forever' : '/month'}</span>
      </p>
      <p
        className={`mt-2 min-h-7 items-center gap-2.5 ${before === null ? 'hidden rail:flex' : 'flex'}`}
      >
        {before === null ? null : (
          <>
            <s className="text-base text-ink-faint">
              <span className="sr-only">Before: </span>${before}
            </s>
            <span className="rounded-full bg-sunken px-2.5 py-1 text-sm font-medium text-ink-soft">
              50% off
            </span>
          </>
        )}
      </p>
    </div>
  )
}

/** Features of a plan are ticked; missing ones are named without a sign. */
function Feature({ text }: { text: string }) {
  const Icon = text.startsWith('No ') ? Dot : Check
  return (
    <li className={`flex gap-2.5 ${Icon === Dot ? 'text-ink-soft' : ''}`}>
      <Icon size={18} aria-hidden className="mt-0.5 shrink-0 text-ink-faint" />
      {text}
    </li>
  )
}
