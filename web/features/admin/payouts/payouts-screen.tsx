import { useQuery } from '@tanstack/react-query'
import { site } from '#web/site.ts'
import { AdminPage } from '../admin-page.tsx'
import { DuePayouts } from './due-payouts.tsx'
import { HeldCommissions } from './held-commissions.tsx'
import { PayoutHistory } from './payout-history.tsx'
import { heldQuery, payoutsDueQuery } from './payouts-query.ts'

export function PayoutsScreen() {
  // A part waits for the part above it, which would push it.
  const isDueKnown = !useQuery(payoutsDueQuery).isPending
  const isHeldKnown = !useQuery(heldQuery).isPending && isDueKnown
  return (
    <AdminPage
      title="Payouts"
      intro={`Pay affiliates outside of Hoplet, then mark what you paid. Commissions are due 30 days after the payment that earned them.${
        site.payments === 'play_money'
          ? ' This server takes play money: its commissions are never paid out and not listed here.'
          : ''
      }`}
    >
      <div className="grid gap-14">
        <DuePayouts />
        {isDueKnown ? <HeldCommissions /> : null}
        {isHeldKnown ? <PayoutHistory /> : null}
      </div>
    </AdminPage>
  )
}
