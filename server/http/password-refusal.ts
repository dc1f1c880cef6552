/** The answer to a visitor's password that does not open: it is wrong, or too many came before. */
export type PasswordRefusal =
  | { status: 403 }
  /** `wait`: seconds until the next one is compared. */
  | { status: 429; wait: number }

export const wrongPassword: PasswordRefusal = { status: 403 }

export function tooManyPasswords(wait: number): PasswordRefusal {
  return { status: 429, wait }
}

/** The header of a page that refuses a password. */
export function retryAfter(refusal: PasswordRefusal | undefined): Record<string, string> {
  return refusal !== undefined && 'wait' in refusal ? { 'Retry-After': String(refusal.wait) } : {}
}
