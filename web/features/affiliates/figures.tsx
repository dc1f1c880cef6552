import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { dollars } from '#domain/money.ts'
import type { AffiliateSummary } from '#web/api/database.ts'
import { type Affiliate, commissionsQuery } from './affiliate-query.ts'
import { date } from './wording.ts'

const count = new Intl.NumberFormat('en-US')

type Totals = Pick<Affiliate, 'total_referrals' | 'total_earnings'>

/** The stat cards: referrals, earnings, commission rates. */
export function StatCards({ total_referrals, total_earnings }: Totals) {
  return (
    <dl
      aria-label="Totals"
      className="grid divide-y divide-line overflow-hidden rounded-2xl border border-line sm:grid-cols-3 sm:divide-x sm:divide-y-0"
    >
      <Figure name="Total Referrals" value={count.format(total_referrals)}>
        People who signed up with your code
      </Figure>
      <Figure name="Total Earnings" value={dollars(Math.round(Number(total_earnings) * 100))}>
        After refunds, paid out or not
      </Figure>
      <Figure name="Commission Rate" value="25% / 10%">
        Direct / second tier
      </Figure>
    </dl>
  )
}

function Figure({ name, value, children }: { name: string; value: string; children: ReactNode }) {
  return (
    <div className="flex flex-col p-5 sm:p-6">
      <dt className="text-sm text-ink-soft">{name}</dt>
      <dd className="mt-1 text-3xl font-semibold tracking-[-0.03em] tabular-nums">{value}</dd>
      <dd className="mt-1 text-sm text-ink-faint">{children}</dd>
    </div>
  )
}

interface PayoutOutlookProps {
  summary: AffiliateSummary
  userId: string
}

/** Pending earnings with their date, the next payout, and past ones. */
export function PayoutOutlook({ summary, userId }: PayoutOutlookProps) {
  const { next_due_at: nextAt, next_due_cents: nextCents } = summary
  // The list below asks for the same lines.
  const lines = useInfiniteQuery(commissionsQuery(userId)).data?.pages.flat()
  const isPlayMoney = lines?.every((line) => line.is_play_money)
  return (
    <section aria-labelledby="payouts">
      <h2 id="payouts" className="text-xl font-semibold tracking-tight">
        Payouts
      </h2>
      <dl className="mt-4 grid gap-x-8 gap-y-5 sm:grid-cols-3">
        <Amount name="Pending" cents={summary.pending_cents}>
          {nextAt === null || nextCents === null
            ? 'Each commission waits 30 days, in case of refunds.'
            : isPlayMoney === undefined
              ? '\u00a0'
              : isPlayMoney
                ? 'Earned in play money, which is never paid out.'
                : `${dollars(nextCents)} of it is due on ${date(nextAt)}.`}
        </Amount>
        <Amount name="Due now" cents={summary.due_cents}>
          {summary.due_cents < 0
            ? 'Refunds of paid-out commissions; deducted from your next earnings.'
            : summary.due_cents === 0
              ? 'Nothing at the moment.'
              : isPlayMoney
                ? 'Play money, which is never paid out.'
                : 'Goes out with the next payout.'}
        </Amount>
        <Amount name="Paid out" cents={summary.paid_cents}>
          So far.
        </Amount>
      </dl>
      {summary.held_cents === 0 ? null : (
        <p className="mt-5 rounded-2xl bg-sunken px-4 py-3 text-sm text-ink-soft">
          {dollars(summary.held_cents)} is in review and not in these sums: payer and beneficiary
          look like one person.
        </p>
      )}
    </section>
  )
}

function Amount({ name, cents, children }: { name: string; cents: number; children: ReactNode }) {
  return (
    <div className="border-l-2 border-line pl-4">
      <dt className="text-sm text-ink-soft">{name}</dt>
      <dd className="mt-0.5 text-xl font-semibold tracking-tight tabular-nums">{dollars(cents)}</dd>
      <dd className="mt-0.5 text-sm text-ink-faint text-pretty">{children}</dd>
    </div>
  )
}
