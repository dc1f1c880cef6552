/** What is known about a person who comes from a provider, before the decision which account they get. */
export interface LinkingFacts {
  /** The issuer that the identity came from. */
  issuer: string
  /** The account that has this identity already. */
  identity: { userId: string; issuer: string } | undefined
  /** The account with the email address that the provider vouches for. */
  owner: { userId: string; isProven: boolean } | undefined
  /** The signed-in person who asked to have the identity linked. */
  linkTo: string | undefined
  /** Whether new accounts are allowed. */
  signUp: boolean
}

export type LinkingDecision =
  | { kind: 'sign in'; userId: string }
  | { kind: 'link'; userId: string }
  | { kind: 'take over'; userId: string }
  | { kind: 'create' }
  | { kind: 'refuse'; why: 'other issuer' | 'linked' | 'linked to another' | 'sign-up disabled' }

/**
 * Decides which account a person gets (docs/decisions/0060-linking-identities.md). An address counts only when the provider
 * vouches for it. An account with an unverified address goes to the person who has now verified it, without what its
 * creator put in.
 */
export function decideAccount({
  issuer,
  identity,
  owner,
  linkTo,
  signUp,
}: LinkingFacts): LinkingDecision {
  if (identity && identity.issuer !== issuer) return { kind: 'refuse', why: 'other issuer' }
  if (linkTo !== undefined) {
    if (!identity) return { kind: 'link', userId: linkTo }
    return {
      kind: 'refuse',
      why: identity.userId === linkTo ? 'linked' : 'linked to another',
    }
  }
  if (identity) return { kind: 'sign in', userId: identity.userId }
  if (owner) return { kind: owner.isProven ? 'link' : 'take over', userId: owner.userId }
  return signUp ? { kind: 'create' } : { kind: 'refuse', why: 'sign-up disabled' }
}
