import { AdminPage } from '../admin-page.tsx'
import { DuePayouts } from './due-payouts.tsx'
import { HeldCommissions } from './held-commissions.tsx'
import { PayoutHistory } from './payout-history.tsx'

export function PayoutsScreen() {
  return (
    <AdminPage
      title="Payouts"
      intro="Pay affiliates outside of Hoplet, then mark what you paid. Commissions are due 30 days after the payment that earned them."
    >
      <div className="grid gap-14">
        <DuePayouts />
        <HeldCommissions />
        <PayoutHistory />
      </div>
    </AdminPage>
  )
}
