import type { ReactNode } from 'react'
import { StatCards } from './figures.tsx'
import { ReferralLink } from './referral-link.tsx'

/** The screen while it loads: the parts that every affiliate has, unseen, so that they are as high as they will be. */
export function AffiliateSkeleton() {
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
