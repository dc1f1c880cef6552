import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { type Plan, planLimits, planOffers } from '#domain/plans.ts'
import { routes } from '#domain/routes.ts'
import { buttonClass } from '#web/ui/button.tsx'

/** After a payment: the new plan, what it opens, and the way to the clicks. */
export function PlanOpened({ plan }: { plan: Plan }) {
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
