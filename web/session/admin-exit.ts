const key = 'hoplet.admin-exit'

/**
 * An admin who opens /dashboard is sent to /admin, and yet Exit Admin leads to /dashboard. So Exit
 * Admin leaves this mark, and the mark ends with the tab, or when its admin opens an admin screen again. It chooses a
 * screen and grants nothing.
 */
export function leaveAdmin(userId: string): void {
  write(userId)
}

export function enterAdmin(): void {
  write(null)
}

export function hasLeftAdmin(userId: string): boolean {
  try {
    return sessionStorage.getItem(key) === userId
  } catch {
    return false
  }
}

function write(userId: string | null): void {
  try {
    if (userId === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, userId)
  } catch {
    // Storage can be forbidden; then an admin stays among the admin screens.
  }
}
