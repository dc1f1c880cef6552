/** Replaces figures that the plan does not show: the specification's words. */
export const clicksOffer = 'Upgrade to view clicks'
