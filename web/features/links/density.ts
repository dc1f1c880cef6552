import { useSyncExternalStore } from 'react'

export type Density = 'comfortable' | 'dense'

const key = 'hoplet.density'
const listeners = new Set<() => void>()

function stored(): Density {
  try {
    return localStorage.getItem(key) === 'dense' ? 'dense' : 'comfortable'
  } catch {
    return 'comfortable'
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function setDensity(density: Density): void {
  try {
    localStorage.setItem(key, density)
  } catch {
    // Storage can be forbidden; then the choice is not kept.
  }
  for (const listener of listeners) listener()
}

/** The height of the rows of My Links, kept in this browser. */
export function useDensity(): { density: Density; setDensity: (density: Density) => void } {
  return { density: useSyncExternalStore(subscribe, stored, () => 'comfortable'), setDensity }
}
