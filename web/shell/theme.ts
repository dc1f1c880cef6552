import { useSyncExternalStore } from 'react'
import { readStored, writeStored } from '#web/stored.ts'

export const themes = ['light', 'dark', 'system'] as const
export type ThemeChoice = (typeof themes)[number]

const key = 'theme'
const prefersDark = window.matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
let theme = storedTheme()

function storedTheme(): ThemeChoice {
  const stored = readStored('localStorage', key)
  return themes.find((name) => name === stored) ?? 'light'
}

function chosen(): ThemeChoice {
  return theme
}

function isDark(): boolean {
  return theme === 'dark' || (theme === 'system' && prefersDark.matches)
}

// public/theme.js has set the class before the first paint; from then on this is the only writer.
function apply(): void {
  document.documentElement.classList.toggle('dark', isDark())
  document
    .querySelector<HTMLMetaElement>('meta[name="theme-color"]')
    ?.setAttribute('content', isDark() ? '#15120f' : '#fbf8f2')
  for (const listener of listeners) listener()
}

export function setTheme(next: ThemeChoice): void {
  theme = next
  writeStored('localStorage', key, next)
  apply()
}

apply()
prefersDark.addEventListener('change', apply)
window.addEventListener('storage', (event) => {
  if (event.key !== key) return
  theme = storedTheme()
  apply()
})

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useTheme(): { theme: ThemeChoice; dark: boolean } {
  // The last argument is for prerendered screens.
  return {
    theme: useSyncExternalStore(subscribe, chosen, chosen),
    dark: useSyncExternalStore(subscribe, isDark, isDark),
  }
}
