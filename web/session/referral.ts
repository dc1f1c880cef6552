import { readStoredFields, writeStored } from '#web/stored.ts'

const key = 'hoplet.referral'
const lifetimeMs = 30 * 24 * 60 * 60 * 1000

interface Remembered {
  code: string
  /** Milliseconds since 1970. */
  until: number
}

// For browsers that forbid storage: known for as long as the page is open.
let remembered: Remembered | null = null

/**
 * Remembers the code of a referral link (any page with ?ref=) for 30 days, in this browser only: the server learns of it
 * with the sign-up and not before. The newest link wins, because it is the one that brought the person here to sign
 * up; the form shows its code, and a person who came through another link can change it.
 */
export function rememberReferral(search: string): void {
  const code = new URLSearchParams(search).get('ref')?.trim()
  if (code === undefined || code === '') return
  remembered = { code: code.slice(0, 64), until: Date.now() + lifetimeMs }
  writeStored('localStorage', key, JSON.stringify(remembered))
}

/** The code of the newest referral link of the last 30 days, or ''. */
export function rememberedReferral(): string {
  const found = stored() ?? remembered
  return found !== null && found.until > Date.now() ? found.code : ''
}

/** The account is opened: the next one of this browser has no referrer. */
export function clearReferral(): void {
  remembered = null
  writeStored('localStorage', key, null)
}

function stored(): Remembered | null {
  const { code, until } = readStoredFields('localStorage', key)
  return typeof code === 'string' && typeof until === 'number' ? { code, until } : null
}
