export type Plan = 'free' | 'pro' | 'business'

export const plans = ['free', 'pro', 'business'] as const satisfies readonly Plan[]

/** Limits of a plan. `limitType` is the period of the counts. */
export interface PlanLimits {
  readonly customCodes: number
  readonly shortenedUrls: number
  readonly qrCodes: number
  readonly limitType: 'lifetime' | 'daily'
  readonly canViewClicks: boolean
  /** Spaces that a person may own, and people of a space, open invitations included. */
  readonly spaces: number
  readonly members: number
  readonly domains: number
}

/** app.plan_limits in the database has the same figures and enforces them; a test keeps the two equal. */
export const planLimits: Readonly<Record<Plan, PlanLimits>> = {
  free: {
    customCodes: 2,
    shortenedUrls: 50,
    qrCodes: 0,
    limitType: 'lifetime',
    canViewClicks: false,
    spaces: 1,
    members: 2,
    domains: 1,
  },
  pro: {
    customCodes: 2,
    shortenedUrls: 50,
    qrCodes: 50,
    limitType: 'daily',
    canViewClicks: true,
    spaces: 3,
    members: 5,
    domains: 3,
  },
  business: {
    customCodes: 20,
    shortenedUrls: 500,
    qrCodes: 500,
    limitType: 'daily',
    canViewClicks: true,
    spaces: 10,
    members: 25,
    domains: 10,
  },
}

/** Limits where accounts have no plans. */
export const noLimits: PlanLimits = {
  customCodes: Infinity,
  shortenedUrls: Infinity,
  qrCodes: Infinity,
  limitType: 'daily',
  canViewClicks: true,
  spaces: 100,
  members: 1_000,
  domains: 100,
}

/** The same on every plan. The form and the database enforce them (app.limit_popups). */
export const commonLimits = { bioLinks: 100, popups: 1_000 } as const

/** How the upgrade screen offers a plan; prices in whole US dollars a month. */
export interface PlanOffer {
  readonly name: string
  readonly price: number
  readonly priceBefore: number | null
  readonly features: readonly string[]
}

/** A plan's limits in the specification's words. */
function limitTexts({ customCodes, shortenedUrls, qrCodes, limitType }: PlanLimits): string[] {
  if (limitType === 'lifetime')
    return [`${customCodes} custom URL codes lifetime`, `${shortenedUrls} shortened URLs lifetime`]
  return [
    `${customCodes} custom-code URLs per day`,
    `${shortenedUrls} shortened URLs per day`,
    `${qrCodes} QR codes per day`,
  ]
}

export const planOffers: Readonly<Record<Plan, PlanOffer>> = {
  free: {
    name: 'Free',
    price: 0,
    priceBefore: null,
    features: [
      ...limitTexts(planLimits.free),
      'Basic link management',
      'No click tracking',
      'No QR codes',
    ],
  },
  pro: {
    name: 'Pro',
    price: 7,
    priceBefore: 14,
    features: [
      'Ad-free',
      ...limitTexts(planLimits.pro),
      'Real-time click tracking',
      'Advanced analytics',
    ],
  },
  business: {
    name: 'Business',
    price: 47,
    priceBefore: 94,
    features: [
      'Ad-free',
      ...limitTexts(planLimits.business),
      'Click tracking',
      'Analytics',
      'Priority support',
    ],
  },
}

/** The plan that a stored or received value names; anything unknown counts as free. */
export function planOf(value: unknown): Plan {
  return plans.find((plan) => plan === value) ?? 'free'
}

/** Note beside a plan that could not be read. */
export const uncheckedPlan = 'could not be checked'
