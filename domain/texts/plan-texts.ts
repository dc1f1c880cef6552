import type { Plan } from '#domain/plans.ts'
import { failure, type Notice } from './texts.ts'

/** A refused create, as can_create_url answers it and as the database raises it (SQLSTATE P0001). */
export interface LimitReached {
  readonly limit: number
  readonly limitType: 'daily' | 'lifetime'
  readonly plan: Plan
  readonly kind: 'custom' | 'url'
}

/** The notice of a reached limit. The words "your today limit" are the specification's own. */
export function limitReachedNotice({ limit, limitType, plan, kind }: LimitReached): Notice {
  const over = limitType === 'daily' ? 'today' : 'total'
  const what = kind === 'custom' ? 'custom codes' : 'shortened URLs'
  const advice =
    plan === 'free'
      ? 'Upgrade to Pro or delete existing links to continue.'
      : 'Please try again tomorrow or delete existing links.'
  return {
    title: 'Limit Reached',
    description: `You've reached your ${over} limit of ${limit} ${what}. ${advice}`,
  }
}

export function qrLimitReachedNotice(limit: number): Notice {
  return {
    title: 'QR Code Limit Reached',
    description: `You've reached your daily limit of ${limit} QR codes. Please try again tomorrow.`,
  }
}

/** Messages of the upgrade screen about payments. */
export const planNotices = {
  paymentSuccessful: { title: 'Payment successful!' },
  checkoutFailed: failure('Failed to start checkout. Please try again.'),
  portalFailed: failure('Failed to open subscription management. Please try again.'),
} as const satisfies Record<string, Notice>

/** The words around the plans of the upgrade screen. */
export const upgradeTexts = {
  included: 'All plans include secure HTTPS links and unlimited redirects.',
  given: 'Complimentary plan. You won’t be charged.',
  notChecked: 'Your subscription could not be checked. What you pay for stays yours.',
  otherPlanSet: 'You pay for this plan, and an admin has set another one for you.',
  onHold: 'A payment of your subscription is disputed or not confirmed, so this plan is on hold.',
  playMoneyVoid:
    'Your paid plan was bought with play money, which this server no longer accepts. You are on the free plan now; nothing was ever charged.',
  openElsewhere:
    'The payment page is open in another tab. Your plan changes here as soon as it is done there.',
  enterprise: 'Contact us for enterprise plans.',
  limits:
    'Limits reset at 00:00 UTC. On Free, deleted links free their slot, clicked ones after 30 days. Clicks and visits are counted on every plan.',
  playMoney:
    'This server takes play money: you can try the paid plans, and nothing is charged. Your links stay real.',
  noPayments:
    'Payments are not set up on this server, so paid plans cannot be bought here. An admin of this server can give you one.',
} as const

/** Texts of the affiliate dashboard. */
export const affiliateNotices = {
  loadFailed: failure('Failed to load affiliate data'),
  copied: { title: 'Copied!', description: 'Referral link copied to clipboard' },
  textCopied: { title: 'Copied!', description: 'Text copied to clipboard' },
} as const satisfies Record<string, Notice>
