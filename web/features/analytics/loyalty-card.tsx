import type { ReactNode } from 'react'
import type { ClickReport } from '#web/clicks/report.ts'
import { Card } from './card.tsx'
import { figure, reportTexts, shareWords } from './report-words.ts'

/** New and returning visits as the two parts of one bar. */
export function LoyaltyCard({ totals }: { totals: ClickReport | undefined }) {
  if (totals === undefined)
    return (
      <Card title="New and returning">
        <div aria-hidden className="mt-2 h-24 animate-pulse rounded-xl bg-sunken" />
      </Card>
    )
  const { visitors: fresh = 0, returning = 0, sampled } = totals
  const all = fresh + returning
  return (
    <Card title="New and returning">
      <div className="mt-2 min-h-24">
        {all === 0 ? (
          <p className="py-3 text-sm text-ink-faint">{reportTexts.nothing}.</p>
        ) : (
          <>
            <div aria-hidden className="flex h-3 gap-0.5 overflow-hidden rounded-full">
              <div className="bg-accent" style={{ width: `${(fresh / all) * 100}%` }} />
              <div className="grow bg-ink-faint/45" />
            </div>
            <dl className="mt-3 grid grid-cols-2 gap-4">
              <Side name="New" className="bg-accent" share={shareWords(fresh, all)}>
                {figure(fresh, sampled)}
              </Side>
              <Side name="Returning" className="bg-ink-faint/45" share={shareWords(returning, all)}>
                {figure(returning, sampled)}
              </Side>
            </dl>
          </>
        )}
      </div>
      <p className="mt-1 text-xs text-ink-faint text-pretty">
        First visits of a day, and visits of people who had been there that day.
      </p>
    </Card>
  )
}

interface SideProps {
  name: string
  className: string
  share: string
  children: ReactNode
}

function Side({ name, className, share, children }: SideProps) {
  return (
    <div>
      <dt className="flex items-center gap-1.5 text-sm text-ink-soft">
        <span aria-hidden className={`size-2.5 rounded-xs ${className}`} />
        {name}
      </dt>
      <dd className="flex items-baseline gap-2">
        <span className="text-xl font-semibold tracking-tight tabular-nums">{children}</span>
        <span className="text-xs text-ink-faint tabular-nums">{share}</span>
      </dd>
    </div>
  )
}
