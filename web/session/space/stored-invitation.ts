import { readStoredFields, writeStored } from '#web/stored.ts'

const key = 'hoplet.invitation'
const keptMs = 24 * 60 * 60 * 1_000

/**
 * Keeps the secret of an invitation over the way to the sign-in and back, also by a mailed link, which opens another tab. It is in
 * no address on this way: a server's log would have it.
 */
export function storeInvitation(token: string): void {
  writeStored('localStorage', key, JSON.stringify({ token, until: Date.now() + keptMs }))
}

/** The secret that was kept; '' without one. */
export function storedInvitation(): string {
  const { token, until } = readStoredFields('localStorage', key)
  return typeof token === 'string' && typeof until === 'number' && until > Date.now() ? token : ''
}

export function deleteStoredInvitation(): void {
  writeStored('localStorage', key, null)
}
