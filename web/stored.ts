type StorageName = 'localStorage' | 'sessionStorage'

/** A stored text; null without one, and where storage is forbidden. */
export function readStored(storage: StorageName, key: string): string | null {
  try {
    return globalThis[storage].getItem(key)
  } catch {
    return null
  }
}

/** The fields of a stored object, which anyone may have changed. */
export function readStoredFields(storage: StorageName, key: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(readStored(storage, key) ?? 'null')) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** Stores a text, or with null removes it. Where storage is forbidden, nothing is kept. */
export function writeStored(storage: StorageName, key: string, value: string | null): void {
  try {
    if (value === null) globalThis[storage].removeItem(key)
    else globalThis[storage].setItem(key, value)
  } catch {
    // The page goes on without it.
  }
}

/** Whether this browser lets the page store anything. */
export function canStore(): boolean {
  const key = 'hoplet.probe'
  try {
    localStorage.setItem(key, key)
    localStorage.removeItem(key)
    return true
  } catch {
    return false
  }
}
