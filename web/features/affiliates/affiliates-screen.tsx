import { usePrefetchInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Check, Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import { affiliateNotices } from '#domain/texts/plan-texts.ts'
import { useSession } from '#web/session/session.ts'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { Screen } from '#web/ui/screen.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { Button } from '#web/ui/button.tsx'
import { useCopyWithNotice } from '#web/use-copy-with-notice.ts'
import { type Affiliate, affiliateQuery, commissionsQuery } from './affiliate-query.ts'
import { CommissionList } from './commission-list.tsx'
import { EarningsChart, hasHappened } from './earnings-chart.tsx'
import { PayoutOutlook, StatCards } from './figures.tsx'
import { ReferralLink } from './referral-link.tsx'
import { referralUrl, shareTexts } from './share-texts.ts'

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

const steps = [
  {
    title: 'Share your link',
    text: 'Your code stays in their sign-up form for 30 days.',
  },
  {
    title: 'They pay for a plan',
    text: 'You earn 25% of every invoice, before taxes.',
  },
  {
    title: 'They bring others',
    text: 'You also earn 10% of what their referrals pay.',
  },
  {
    title: 'You are paid',
    text: 'Commissions are paid out after 30 days. Refunds take their share back.',
  },
]

function HowItWorks() {
  return (
    <section aria-labelledby="how-it-works">
      <h2 id="how-it-works" className="text-xl font-semibold tracking-tight">
        How it works
      </h2>
      <ol className="mt-4 grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-4">
        {steps.map(({ title, text }, index) => (
          <li key={title} className="border-t border-line pt-4">
            <span aria-hidden className="font-mono text-sm text-accent-text">
              {index + 1}
            </span>
            <h3 className="mt-1 font-semibold tracking-tight">{title}</h3>
            <p className="mt-1 text-sm leading-relaxed text-ink-soft text-pretty">{text}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Messages to people, ready to copy. */
function ReadyTexts({ code }: { code: string }) {
  return (
    <section aria-labelledby="ready-texts">
      <h2 id="ready-texts" className="text-xl font-semibold tracking-tight">
        Ready-made texts
      </h2>
      <ul className="mt-4 grid gap-4 lg:grid-cols-3">
        {shareTexts.map(({ name, textOf }) => (
          <ReadyText key={name} name={name} text={textOf(referralUrl(code))} />
        ))}
      </ul>
    </section>
  )
}

function ReadyText({ name, text }: { name: string; text: string }) {
  const { copied, copy } = useCopyWithNotice(affiliateNotices.textCopied)
  return (
    <li className="flex flex-col items-start gap-4 rounded-2xl border border-line bg-surface p-5">
      <p className="text-sm leading-relaxed whitespace-pre-line text-ink-soft wrap-anywhere">
        {text}
      </p>
      <Button size="small" className="mt-auto" onClick={() => copy(text)}>
        {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
        {copied ? 'Copied' : `Copy ${name}`}
      </Button>
    </li>
  )
}

/** The screen while it loads: the parts that every affiliate has, unseen, so that they are as high as they will be. */
function AffiliateSkeleton() {
  return (
    <div className="grid gap-10 sm:gap-12">
      <output className="sr-only">Loading your affiliate data</output>
      <div className="grid gap-5">
        <Unseen>
          <ReferralLink code="XXXXXXXX" />
        </Unseen>
        <Unseen>
          <StatCards total_referrals={0} total_earnings={0} />
        </Unseen>
      </div>
      <div aria-hidden className="grid animate-pulse gap-5">
        <div className="h-6 w-40 rounded-md bg-sunken" />
        <div className="h-64 rounded-2xl bg-sunken" />
      </div>
    </div>
  )
}

function Unseen({ children }: { children: ReactNode }) {
  return (
    <div
      aria-hidden
      inert
      className="animate-pulse rounded-2xl border border-line bg-surface *:invisible"
    >
      {children}
    </div>
  )
}
