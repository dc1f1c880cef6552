import { readStored, writeStored } from '#web/stored.ts'

const key = 'hoplet.stay'
const storages = ['localStorage', 'sessionStorage'] as const

/**
 * Keeps people on the sign-in screen, where they would go straight to their provider: this browser after a sign-out, this
 * tab after an attempt. Until the next sign-in.
 */
export function stayOnSignIn(where: 'browser' | 'tab'): void {
  writeStored(where === 'browser' ? 'localStorage' : 'sessionStorage', key, '1')
}

export function mayLeaveSignIn(): boolean {
  return storages.every((storage) => readStored(storage, key) === null)
}

/** The next session that ends goes straight to the provider again. */
export function leaveSignInAgain(): void {
  for (const storage of storages) writeStored(storage, key, null)
}
