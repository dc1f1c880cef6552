export interface PortalInvoice {
  number: string
  date: string
  cents: number
  state: string
}

/** A plan and its price per month. */
interface PortalOffer {
  priceId: string
  name: string
  cents: number
}

/** Contents of the portal page. Dates are ready to read. */
export interface PortalView {
  /** Undefined without a subscription. */
  subscription:
    | (PortalOffer & {
        /** For example 'Active' or 'Past due'. */
        status: string
        /** When and how it continues. */
        outlook: string
        ending: boolean
        other: PortalOffer & { dueNow: number }
        /** The portal was opened to change to the other plan, which has to be confirmed. */
        asksForChange: boolean
      })
    | undefined
  card: { label: string; works: boolean } | undefined
  invoices: readonly PortalInvoice[]
  /** The refundable rest of the last payment, in cents. */
  refundable: number
  disputed: boolean
  /** The last payment can be disputed, which happens once. */
  disputable: boolean
  now: string
  returnUrl: string
  done?: string | undefined
  problem?: string | undefined
}
