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
  writeStored('localStorage', silentKey, null)
}

const claimsKey = 'hoplet.claims'
const silentKey = 'hoplet.silent'

/** Remembers the provider with the claims of the session; undefined if it has none. */
export function rememberClaimProvider(provider: string | undefined): void {
  writeStored('localStorage', claimsKey, provider ?? null)
}

/**
 * Allows one sign-in without a question at that provider: the server has ended the session because its claims are due
 * (docs/decisions/0068-admins-by-a-claim.md). The first tab that goes takes it, so that there is neither a loop nor a second try.
 */
export function allowSilentSignIn(): void {
  writeStored('localStorage', silentKey, readStored('localStorage', claimsKey))
}

/** The provider of the silent sign-in that is allowed, if any. */
export function silentProvider(): string | undefined {
  const provider = mayLeaveSignIn() ? readStored('localStorage', silentKey) : null
  return provider ?? undefined
}

/** Takes it for this tab, which holds a lock until it has left: two sign-ins at once would exchange each other's codes. */
export function takeSilentSignIn(): Promise<boolean> {
  return new Promise((resolve) => {
    const take = (lock: unknown) => {
      const isMine = lock !== null && readStored('localStorage', silentKey) !== null
      if (isMine) writeStored('localStorage', silentKey, null)
      resolve(isMine)
      return isMine ? new Promise(() => {}) : undefined
    }
    // Pages without TLS have no locks.
    if ('locks' in navigator) void navigator.locks.request(silentKey, { ifAvailable: true }, take)
    else void take(undefined)
  })
}
