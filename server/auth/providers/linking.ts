/** What is known about somebody who comes from a provider, before it is decided which account they get. */
export interface Known {
  /** The issuer that the identity came from. */
  issuer: string
  /** The account that has this identity already. */
  identity: { userId: string; issuer: string } | undefined
  /** The account with the e-mail address that the provider vouches for. */
  owner: { userId: string; isProven: boolean } | undefined
  /** The signed-in person who asked to have the identity linked. */
  linkTo: string | undefined
  /** Whether new accounts are taken. */
  signUp: boolean
}

export type Decision =
  | { kind: 'sign in'; userId: string }
  | { kind: 'link'; userId: string }
  | { kind: 'take over'; userId: string }
  | { kind: 'create' }
  | { kind: 'refuse'; why: 'other issuer' | 'linked' | 'linked to another' | 'sign-up disabled' }

/**
 * Decides which account somebody gets (docs/decisions/0060-linking-identities.md). An address counts only when the
 * provider vouches for it; an account whose own address nobody has proven is handed to whoever now has, and loses
 * what its maker put in.
 */
export function decideAccount({ issuer, identity, owner, linkTo, signUp }: Known): Decision {
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
