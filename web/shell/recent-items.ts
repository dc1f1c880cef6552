import { readStoredFields, writeStored } from '#web/stored.ts'

const maxItems = 5

function keyOf(userId: string): string {
  return `hoplet.recent.${userId}`
}

/** The ids of this person's last choices in the palette, newest first; kept until the tab is closed. */
export function recentItems(userId: string): string[] {
  const stored: unknown = readStoredFields('sessionStorage', keyOf(userId))
  return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []
}

export function rememberItem(userId: string, id: string): void {
  const ids = [id, ...recentItems(userId).filter((other) => other !== id)].slice(0, maxItems)
  writeStored('sessionStorage', keyOf(userId), JSON.stringify(ids))
}
