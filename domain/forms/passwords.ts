/** Blanks, and characters of zero width, which are part of no password that a person types. */
const blankEnds = /^[\s\u200b-\u200f\u2060]+|[\s\u200b-\u200f\u2060]+$/g

/** The one spelling of a typed password: a letter and its accent are one character, as most keyboards send them. */
export function canonicalPassword(typed: string): string {
  return typed.normalize('NFC')
}

/** That of a link or a shared report: chats add blanks around it. One of blanks alone keeps them. */
export function canonicalVisitorPassword(typed: string): string {
  const canonical = canonicalPassword(typed)
  return canonical.replaceAll(blankEnds, '') || canonical
}

/**
 * The spellings to compare with a hash, the canonical one first. Hashes from before November 2026 are of passwords as they were
 * typed. How many there are depends on the typed text alone.
 */
export function passwordSpellings(typed: string, canonical: string): string[] {
  return [...new Set([canonical, typed, canonical.normalize('NFD')])]
}
