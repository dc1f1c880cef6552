import { parse } from 'hono/utils/cookie'
import type { PasswordRefusal } from '../../http/password-refusal.ts'
import type { LinkEntry } from '../names/name-entry.ts'

/** A password that visitors give, as its guard knows it. */
interface Guarded {
  /** The link. */
  subject: string
  hash: string
  /** New with each password. */
  version: string
}

/** Compares passwords of visitors, within limits, and makes proofs for those who gave the right one. */
export interface VisitorPasswords {
  /** Resolves to undefined if the password is right. */
  check(guarded: Guarded, password: string, address: string): Promise<PasswordRefusal | undefined>
  proofOf(guarded: Guarded): string
  isProof(guarded: Guarded, given: string): boolean
}

type Proofs = Pick<VisitorPasswords, 'proofOf' | 'isProof'>

/** The password of a link; undefined for a link without one. */
export function guardedLink({ id, options }: LinkEntry): Guarded | undefined {
  return options?.password && { subject: `link ${id}`, ...options.password }
}

const nameOf = ({ id }: LinkEntry) => `hoplet_link_${id}`

/** The session cookie of a visitor who gave the password of a link; a new password voids it. */
export function linkCookie(link: LinkEntry, guarded: Guarded, { proofOf }: Proofs): string {
  return `${nameOf(link)}=${proofOf(guarded)}`
}

/** @param cookies the header of the request */
export function hasLinkCookie(
  link: LinkEntry,
  cookies: string | undefined,
  { isProof }: Proofs,
): boolean {
  const guarded = guardedLink(link)
  const name = nameOf(link)
  const given = parse(cookies ?? '', name)[name]
  return guarded !== undefined && given !== undefined && isProof(guarded, given)
}
