import { usePrefetchInfiniteQuery, useQuery } from '@tanstack/react-query'
import { affiliateNotices } from '#domain/texts.ts'
import { useSession } from '#web/session/session.ts'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { Screen } from '#web/ui/screen.tsx'
import { useTitle } from '#web/ui/use-title.ts'
import { type Affiliate, affiliateQuery, commissionsQuery } from './affiliate-query.ts'
import { AffiliateSkeleton } from './affiliate-skeleton.tsx'
import { CommissionList } from './commission-list.tsx'
import { EarningsChart, hasHappened } from './earnings-chart.tsx'
import { PayoutOutlook, StatCards } from './figures.tsx'
import { HowItWorks } from './how-it-works.tsx'
import { ReadyTexts } from './ready-texts.tsx'
import { ReferralLink } from './referral-link.tsx'

export function AffiliatesScreen() {
  useTitle('Affiliates · Hoplet')
  const session = useSession()
  return (
    <Screen title="Affiliates" intro="Refer people to Hoplet and earn a share.">
      {session.status === 'signed-in' ? (
        <Dashboard key={session.userId} userId={session.userId} />
      ) : (
        <AffiliateSkeleton />
      )}
    </Screen>
  )
}

function Dashboard({ userId }: { userId: string }) {
  usePrefetchInfiniteQuery(commissionsQuery(userId))
  return (
    <QueryPanel
      query={useQuery(affiliateQuery(userId))}
      loading={null}
      skeleton={<AffiliateSkeleton />}
      failed={affiliateNotices.loadFailed}
    >
      {(affiliate) => <LoadedDashboard {...{ userId, affiliate }} />}
    </QueryPanel>
  )
}

function LoadedDashboard({ userId, affiliate }: { userId: string; affiliate: Affiliate }) {
  const { summary } = affiliate
  const begun = summary.months.some(hasHappened)
  const owed = summary.pending_cents !== 0 || summary.due_cents !== 0
  return (
    <div className="grid gap-10 sm:gap-12">
      <div className="grid gap-5">
        <ReferralLink code={affiliate.code} />
        <StatCards {...affiliate} />
      </div>
      {begun ? null : <HowItWorks />}
      {owed || summary.paid_cents !== 0 || summary.held_cents !== 0 ? (
        <PayoutOutlook {...{ summary, userId }} />
      ) : null}
      {begun ? <EarningsChart months={summary.months} /> : null}
      <CommissionList userId={userId} />
      <ReadyTexts code={affiliate.code} />
      {begun ? <HowItWorks /> : null}
    </div>
  )
}
