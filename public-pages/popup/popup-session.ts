/** The popups that this browser session has shown. */
export interface ShownPopups {
  /** @param id the first eight digits of a popup's id */
  has(id: string): boolean
  add(id: string): void
}

/**
 * Runs in the visitor's page, as source text like popup-script.ts. All tabs share a session cookie with the first eight
 * digits of each id, newest last, and it goes with the session. The server never reads it.
 */
export function createShownPopups(): ShownPopups {
  function read(): string[] {
    try {
      const value = /(?:^|; )hoplet_popups=([0-9a-f.]+)/.exec(document.cookie)?.[1]
      return value === undefined ? [] : value.split('.')
    } catch {
      // Cookies can be forbidden.
      return []
    }
  }

  return {
    has: (id) => read().includes(id),
    add(id) {
      const secure = window.location.protocol === 'https:' ? '; secure' : ''
      const ids = [...read(), id].slice(-20).join('.')
      try {
        document.cookie = `hoplet_popups=${ids}; path=/; samesite=strict${secure}`
      } catch {
        // The popup is shown again.
      }
    },
  }
}
