import { Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { Allowed } from '#web/session/space/allowed.tsx'
import { clicksOffer } from '#web/clicks/clicks-offer.ts'
import { ReportShape } from '#web/clicks/report-shape.tsx'
import { buttonClass } from '#web/ui/button.tsx'

/** A report of a plan that does not show clicks: its shape, and the way to a plan that does. Nothing is asked for. */
export function LockedReport() {
  return (
    <div className="relative min-w-0">
      <ReportShape />
      <div className="absolute inset-0 grid place-items-center">
        <div className="grid max-w-sm justify-items-center gap-3 rounded-2xl border border-line bg-surface p-6 text-center shadow-lift max-sm:mx-4">
          <p className="text-sm text-ink-soft text-pretty">
            We’re already counting. Upgrade to see how many, from where and when.
          </p>
          <Allowed right="owner">
            <Link to={routes.upgrade.path} className={buttonClass('ink')}>
              {clicksOffer}
            </Link>
          </Allowed>
        </div>
      </div>
    </div>
  )
}
