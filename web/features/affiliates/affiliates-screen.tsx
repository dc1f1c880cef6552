import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { affiliateNotices } from '#domain/texts.ts'
import { useSession } from '#web/session/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Loading } from '#web/ui/mark.tsx'
import { notifyError } from '#web/ui/notify.ts'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { useTitle } from '#web/ui/use-title.ts'
import { affiliateQuery } from './affiliate-query.ts'
import { CommissionList } from './commission-list.tsx'
import { EarningsChart } from './earnings-chart.tsx'
import { PayoutOutlook, StatCards } from './figures.tsx'
import { HowItWorks } from './how-it-works.tsx'
import { ReferralLink } from './referral-link.tsx'

export function AffiliatesScreen() {
  useTitle('Affiliates · Hoplet')
  const session = useSession()
  return (
    <div className="mx-auto w-full max-w-5xl px-4 py-10 sm:px-6 sm:py-14">
      <h1 className="text-3xl font-semibold tracking-[-0.03em] sm:text-4xl">Affiliates</h1>
      <p className="mt-1.5 mb-8 text-ink-soft">
        Bring people to Hoplet, and share in what they pay.
      </p>
      {session.status === 'signed-in' ? (
        <Dashboard key={session.userId} userId={session.userId} />
      ) : (
        <Loading label="Loading your affiliate data" />
      )}
    </div>
  )
}

function Dashboard({ userId }: { userId: string }) {
  const query = useQuery(affiliateQuery(userId))
  const affiliate = query.data

  useEffect(() => {
    if (query.isError) notifyError(affiliateNotices.loadFailed)
  }, [query.isError, query.errorUpdatedAt])

  if (affiliate === undefined) {
    return query.isError ? (
      <StatePanel
        role="alert"
        title={affiliateNotices.loadFailed.description}
        action={<Button onClick={() => void query.refetch()}>Try Again</Button>}
      />
    ) : (
      <Loading label="Loading your affiliate data" />
    )
  }
  const { summary } = affiliate
  const begun = summary.months.some(
    (month) => month.earned_cents + month.reversed_cents + month.sign_ups > 0,
  )
  const owed = summary.pending_cents !== 0 || summary.due_cents !== 0
  return (
    <div className="grid gap-10 sm:gap-12">
      <div className="grid gap-5">
        <ReferralLink code={affiliate.code} />
        <StatCards affiliate={affiliate} />
      </div>
      {begun ? null : <HowItWorks />}
      {owed || summary.paid_cents !== 0 || summary.held_cents !== 0 ? (
        <PayoutOutlook summary={summary} />
      ) : null}
      {begun ? <EarningsChart months={summary.months} /> : null}
      <CommissionList userId={userId} />
      {begun ? <HowItWorks /> : null}
    </div>
  )
}
