/** Pattern of a stored short code: lower case, 3 to 50 characters. */
export const shortCodePattern = /^[a-z0-9_-]{3,50}$/

/** How people and programs name a link: by its code, or on a domain by `host/code`. */
export const namedCodePattern = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)+\/)?[a-z0-9_-]{3,50}$/

/** The stored form of a code as typed or opened: codes are the same in any case. */
export function normalizeShortCode(raw: string): string {
  return raw.trim().toLowerCase()
}

/** The error of a normalized custom code, or null; characters come before length, as the form says them. */
export function customCodeProblem(code: string): 'characters' | 'length' | null {
  if (!/^[a-z0-9_-]*$/.test(code)) return 'characters'
  return code.length < 3 || code.length > 50 ? 'length' : null
}
