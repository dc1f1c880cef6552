const maxItems = 5

function keyOf(userId: string): string {
  return `hoplet.recent.${userId}`
}

/** The ids of this person's last choices in the palette, newest first; kept until the tab is closed. */
export function recentItems(userId: string): string[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(keyOf(userId)) ?? '[]')
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []
  } catch {
    return []
  }
}

export function rememberItem(userId: string, id: string): void {
  const ids = [id, ...recentItems(userId).filter((other) => other !== id)].slice(0, maxItems)
  try {
    sessionStorage.setItem(keyOf(userId), JSON.stringify(ids))
  } catch {
    // Storage can be forbidden: then nothing is recent.
  }
}
