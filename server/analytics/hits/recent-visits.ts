/** A later visit of the same visitor to the same target is a repeat for so long. */
const repeatMs = 30 * 60_000
const maxVisits = 1_000_000

export interface VisitOfVisitor {
  /** A number made of a keyed hash; 0 where none is known. */
  visitor: number
  scope: number
  /** Epoch milliseconds. */
  at: number
}

export type RecentVisits = ReturnType<typeof createRecentVisits>

/**
 * Remembers the visits of the last half hour. Two maps take turns, so that forgetting costs nothing; beyond two
 * million visits the oldest are forgotten sooner.
 */
export function createRecentVisits() {
  let current = new Map<number, number>()
  let previous = new Map<number, number>()
  let turnedAt = 0

  const turn = (at: number) => {
    if (at - turnedAt < repeatMs && current.size < maxVisits) return
    previous = current
    current = new Map()
    turnedAt = at
  }
  return {
    /** When the visitor was last there before, if less than half an hour ago by any clock. */
    isRepeat(visit: VisitOfVisitor, lastInBatch: number | undefined): boolean {
      const key = keyOf(visit)
      const last = lastInBatch ?? current.get(key) ?? previous.get(key)
      // A clock that was set back makes the last visit lie ahead: no time has passed then.
      return last !== undefined && visit.at - last < repeatMs
    },
    remember(visit: VisitOfVisitor) {
      turn(visit.at)
      current.set(keyOf(visit), visit.at)
    },
  }
}

/** 53 bits of visitor and scope: among a million visits two are mistaken for each other once in 20,000 times. */
export function keyOf({ visitor, scope }: VisitOfVisitor): number {
  const low = (visitor ^ Math.imul(scope, 0x9e37_79b1)) >>> 0
  const high = (Math.floor(visitor / 0x1_0000_0000) ^ Math.imul(scope, 0x85eb_ca6b)) & 0x1f_ffff
  return high * 0x1_0000_0000 + low
}
