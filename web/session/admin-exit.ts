import { readStored, writeStored } from '#web/stored.ts'

const key = 'hoplet.admin-exit'

/**
 * An admin who opens /dashboard is sent to /admin, and yet Exit Admin leads to /dashboard: together a circle. So Exit
 * Admin leaves this mark, and the mark ends with the tab, or when its admin opens an admin screen again. It chooses a
 * screen and grants nothing.
 */
export function leaveAdmin(userId: string): void {
  writeStored('sessionStorage', key, userId)
}

export function enterAdmin(): void {
  writeStored('sessionStorage', key, null)
}

export function hasLeftAdmin(userId: string): boolean {
  return readStored('sessionStorage', key) === userId
}
