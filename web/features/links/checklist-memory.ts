interface Memory {
  /** Dismissed, or everything was done once. */
  away?: true
  qrCode?: true
}

const keyOf = (userId: string) => `hoplet.checklist.${userId}`

/** Memory of this browser about the checklist of an account. */
export function checklistMemory(userId: string): Memory {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(userId)) ?? '{}')
    const { away, qrCode } = Object(stored) as Record<string, unknown>
    return { ...(away === true && { away }), ...(qrCode === true && { qrCode }) }
  } catch {
    return {}
  }
}

function remember(userId: string, what: Memory): void {
  try {
    localStorage.setItem(keyOf(userId), JSON.stringify({ ...checklistMemory(userId), ...what }))
  } catch {
    // Storage is forbidden: then the checklist comes again next time.
  }
}

export function rememberAway(userId: string): void {
  remember(userId, { away: true })
}

/** The server does not count the downloads of the free plan, so they are remembered here. */
export function rememberQrCode(userId: string): void {
  remember(userId, { qrCode: true })
}
