import { useSyncExternalStore } from 'react'
import { readStored, writeStored } from '#web/stored.ts'

export type Density = 'comfortable' | 'dense'

const key = 'hoplet.density'
const listeners = new Set<() => void>()

function stored(): Density {
  return readStored('localStorage', key) === 'dense' ? 'dense' : 'comfortable'
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function setDensity(density: Density): void {
  writeStored('localStorage', key, density)
  for (const listener of listeners) listener()
}

/** The height of the rows of My Links, kept in this browser. */
export function useDensity(): { density: Density; setDensity: (density: Density) => void } {
  return { density: useSyncExternalStore(subscribe, stored, () => 'comfortable'), setDensity }
}
