import { dollars } from '#domain/money.ts'
import type { AffiliateMonth } from '#web/api/database.ts'
import { FigureTable } from '#web/ui/charts/figure-table.tsx'
import { monthName, shortMonthName, wholeDollars } from './wording.ts'

/** In CSS pixels, both directions together. */
const plotHeight = 200

/** The months since the first earning, at least six: earned upwards, reversed downwards. The table also has sign-ups. */
export function EarningsChart({ months: all }: { months: readonly AffiliateMonth[] }) {
  const months = since(all, (month) => grossCents(month) > 0)
  const top = scaleEnd(Math.max(...months.map(grossCents)))
  const bottom = Math.max(...months.map((month) => month.reversed_cents))
  const reversed = bottom > 0
  // Both directions have the same scale.
  const upper = (plotHeight * top) / (top + bottom)
  const earned = months.reduce((sum, month) => sum + grossCents(month), 0)
  const takenBack = months.reduce((sum, month) => sum + month.reversed_cents, 0)
  return (
    <section aria-labelledby="over-time">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 id="over-time" className="text-xl font-semibold tracking-tight">
          Over time
        </h2>
        <p className="flex gap-4 text-sm text-ink-soft">
          <Key className="bg-ink/86">Earned</Key>
          {reversed ? <Key className="bg-danger">Reversed</Key> : null}
        </p>
      </div>
      <p className="mt-1.5 text-ink-soft tabular-nums">
        {takenBack === 0
          ? `${dollars(earned)} in the last twelve months.`
          : `${dollars(earned - takenBack)} in the last twelve months: ${dollars(earned)} earned, ${dollars(takenBack)} taken back by refunds and disputes.`}
        <span className="sr-only"> The table has each month.</span>
      </p>
      <div aria-hidden className="relative mt-8">
        <span className="absolute top-0 left-0 -translate-y-full pb-0.5 font-mono text-xs text-ink-faint">
          {wholeDollars(top)}
        </span>
        <div className="grid auto-cols-fr grid-flow-col border-t border-dashed border-line pt-px">
          {months.map((month, index) => (
            <div
              key={month.month}
              title={`${monthName(month.month)}: ${dollars(grossCents(month))} earned, ${dollars(month.reversed_cents)} reversed`}
            >
              <div
                className="flex items-end border-b border-edge px-[3px] sm:px-1.5"
                style={{ height: upper }}
              >
                <Bar
                  part={grossCents(month) / top}
                  className={`rounded-t-md ${index === months.length - 1 ? 'bg-accent' : 'bg-ink/86'}`}
                />
              </div>
              {reversed ? (
                <div
                  className="flex items-start px-[3px] sm:px-1.5"
                  style={{ height: plotHeight - upper }}
                >
                  <Bar part={month.reversed_cents / bottom} className="rounded-b-md bg-danger" />
                </div>
              ) : null}
              <p className="mt-1.5 text-center text-xs text-ink-faint max-sm:[div:nth-child(even):nth-last-child(n+7)>&]:invisible">
                {shortMonthName(month.month)}
              </p>
            </div>
          ))}
        </div>
      </div>
      <MonthTable months={since(all, hasHappened)} />
    </section>
  )
}

function Key({ className, children }: { className: string; children: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <span aria-hidden className={`size-2.5 rounded-xs ${className}`} />
      {children}
    </span>
  )
}

/** Every amount above zero is visible. */
function Bar({ part, className }: { part: number; className: string }) {
  return part === 0 ? null : (
    <span
      className={`mx-auto block min-h-0.5 w-full max-w-14 ${className}`}
      style={{ height: `${part * 100}%` }}
    />
  )
}

function MonthTable({ months }: { months: readonly AffiliateMonth[] }) {
  return (
    <details className="mt-3 text-sm">
      <summary className="w-fit rounded-md py-2 text-ink-soft underline-offset-4 hover:underline">
        Show as a table
      </summary>
      <div className="mt-1 max-w-xl">
        <FigureTable
          caption="Earnings and sign-ups by month"
          head={['Month', 'Earned', 'Reversed', 'Sign-ups']}
          rows={months.toReversed().map((month) => ({
            key: month.month,
            name: monthName(month.month),
            cells: [
              dollars(grossCents(month)),
              dollars(month.reversed_cents),
              String(month.sign_ups),
            ],
          }))}
        />
      </div>
    </details>
  )
}

const minMonths = 6

/** The months from the first one that `counts` on, and the last six in any case. */
function since(
  months: readonly AffiliateMonth[],
  counts: (month: AffiliateMonth) => boolean,
): readonly AffiliateMonth[] {
  const first = months.findIndex(counts)
  const last = months.length - minMonths
  return months.slice(first === -1 ? last : Math.min(first, last))
}

/** Before refunds and disputes: `earned_cents` is the rest after them. */
function grossCents({ earned_cents, reversed_cents }: AffiliateMonth): number {
  return earned_cents + reversed_cents
}

/** Whether there is anything to say about a month. */
export function hasHappened(month: AffiliateMonth): boolean {
  return grossCents(month) + month.sign_ups > 0
}

/** The next round number of dollars, in cents. */
function scaleEnd(cents: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(cents, 100)))
  return (
    [1, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((end) => end >= cents) ?? 10 * power
  )
}
