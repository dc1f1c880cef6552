import { Check, Dot } from 'lucide-react'
import { useId, type ReactNode } from 'react'
import { planOffers, type Plan } from '#domain/plans.ts'

interface PlanCardProps {
  plan: Plan
  isCurrent: boolean
  /** Whether its name has the mark of the current plan; otherwise the place of the buttons has it. */
  hasMark: boolean
  /** On a phone: below the others, and only a line while it is the current one. */
  isAside: boolean
  /** Said at its end. */
  notes: readonly ReactNode[]
  /** The buttons. */
  children: ReactNode
}

/** The rows of a card are those of its neighbors: one without a button has no hole, unless another has one. */
const rowsClass = 'rail:row-span-5 rail:grid rail:grid-cols-[minmax(0,1fr)] rail:grid-rows-subgrid'

/** One plan with its price, its features, and its action. */
export function PlanCard({ plan, isCurrent, hasMark, isAside, notes, children }: PlanCardProps) {
  const folded = isAside && isCurrent ? 'max-rail:hidden' : ''
  const id = useId()
  const { name, price, priceBefore, features } = planOffers[plan]
  const isPopular = plan === 'pro'
  return (
    <li className={`${rowsClass} ${isAside ? 'max-rail:order-last' : ''}`}>
      <article
        aria-labelledby={id}
        className={`relative rounded-2xl border bg-surface p-5 sm:p-6 rail:max-lg:p-4 ${rowsClass} ${isPopular ? 'border-ink shadow-lift' : 'border-line'}`}
      >
        <div className="flex min-h-8 flex-wrap content-start items-center justify-between gap-x-2 gap-y-1.5 rail:row-start-1 rail:max-lg:min-h-17">
          <h2 id={id} className="text-xl font-semibold tracking-tight">
            {name}
          </h2>
          {hasMark ? (
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
        <div className={`rail:row-start-2 ${folded}`}>
          <Price price={price} before={priceBefore} />
        </div>
        {/* Before the features: cards of different lengths have no hole above their buttons. */}
        <div className="mt-5 grid grid-cols-[minmax(0,1fr)] content-start gap-3 empty:hidden rail:row-start-3">
          {children}
        </div>
        <ul
          className={`mt-5 grid content-start gap-2.5 border-t border-line pt-5 text-sm rail:row-start-4 ${folded}`}
        >
          {features.map((feature) => (
            <Feature key={feature} text={feature} />
          ))}
        </ul>
        {/* Has the room of the usual note from the start, so that nothing moves when it comes. */}
        <div
          className={`mt-4 grid content-start gap-3 empty:max-rail:hidden rail:row-start-5 ${plan === 'free' ? 'empty:hidden' : 'min-h-5 rail:max-lg:min-h-15'}`}
        >
          {notes.map((note, index) => (
            <p key={index} className="text-center text-sm text-pretty text-ink-soft">
              {note}
            </p>
          ))}
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
