import { Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { clicksOffer } from '#web/clicks/clicks-offer.ts'
import { ReportShape } from '#web/clicks/report-shape.tsx'
import { buttonClass } from '#web/ui/button.tsx'
import { Elsewhere } from './elsewhere.tsx'

const rows = [100, 78, 61, 44, 38, 30]

/** A report of a plan that does not show clicks: its shape, and the way to a plan that does. Nothing is asked for. */
export function LockedReport({ restInto }: { restInto: HTMLElement | null | undefined }) {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
      <div className="relative min-w-0">
        <ReportShape />
        <div className="absolute inset-0 grid place-items-center">
          <div className="grid max-w-sm justify-items-center gap-3 rounded-2xl border border-line bg-surface p-6 text-center shadow-lift max-sm:mx-4">
            <p className="text-sm text-ink-soft text-pretty">
              Every click is recorded. Pro and Business show how many there were, from where, and
              when.
            </p>
            <Link to={routes.upgrade.path} className={buttonClass('accent')}>
              {clicksOffer}
            </Link>
          </div>
        </div>
      </div>
      <Elsewhere into={restInto}>
        <div aria-hidden className="grid gap-4 md:grid-cols-2">
          {[0, 1].map((card) => (
            <div key={card} className="grid gap-1.5 rounded-2xl border border-line bg-surface p-5">
              <div className="mb-1 h-4 w-24 rounded-full bg-sunken" />
              {rows.map((width) => (
                <div
                  key={width}
                  className="h-8 rounded-md bg-sunken"
                  style={{ width: `${width - card * 7}%` }}
                />
              ))}
            </div>
          ))}
        </div>
      </Elsewhere>
    </div>
  )
}
