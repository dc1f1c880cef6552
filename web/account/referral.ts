const key = 'hoplet.referral'

/** Remembers the code of a referral link (any page with ?ref=) until this tab closes. */
export function rememberReferral(search: string): void {
  const code = new URLSearchParams(search).get('ref')?.trim()
  if (code === undefined || code === '') return
  try {
    sessionStorage.setItem(key, code.slice(0, 64))
  } catch {
    // Storage can be forbidden; then the code has to be typed.
  }
}

export function rememberedReferral(): string {
  try {
    return sessionStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}
