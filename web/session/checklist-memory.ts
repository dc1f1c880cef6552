import { readStoredFields, writeStored } from '#web/stored.ts'

interface Memory {
  /** Dismissed, or everything was done once. */
  away?: true
  qrCode?: true
}

const keyOf = (userId: string) => `hoplet.checklist.${userId}`

/** Memory of this browser about the checklist of an account. */
export function checklistMemory(userId: string): Memory {
  const { away, qrCode } = readStoredFields('localStorage', keyOf(userId))
  return { ...(away === true && { away }), ...(qrCode === true && { qrCode }) }
}

function remember(userId: string, what: Memory): void {
  const memory = { ...checklistMemory(userId), ...what }
  writeStored('localStorage', keyOf(userId), JSON.stringify(memory))
}

export function rememberAway(userId: string): void {
  remember(userId, { away: true })
}

/** The server does not count the downloads of the free plan, so they are remembered here. */
export function rememberQrCode(userId: string): void {
  remember(userId, { qrCode: true })
}
