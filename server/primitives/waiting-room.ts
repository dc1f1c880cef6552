/**
 * Lets a number of callers in at once; others wait for their turn.
 *
 * @param slots how many may be inside at once
 * @param maxWaiting how many may wait for a slot
 */
export function createWaitingRoom(slots: number, maxWaiting = Infinity) {
  const waiting = new Set<() => void>()
  let taken = 0
  const leave = () => {
    const [next] = waiting
    if (!next) {
      taken--
      return
    }
    // The slot goes on to the one who waits.
    waiting.delete(next)
    next()
  }
  return {
    /** @returns how to leave, once; undefined when there was no slot within `maxWaitMs`, or too many wait */
    async enter(maxWaitMs: number): Promise<(() => void) | undefined> {
      if (taken < slots) {
        taken++
        return leave
      }
      if (waiting.size >= maxWaiting) return undefined
      const isTurn = await new Promise<boolean>((resolve) => {
        const turn = () => {
          clearTimeout(timer)
          resolve(true)
        }
        const timer = setTimeout(() => {
          waiting.delete(turn)
          resolve(false)
        }, maxWaitMs)
        waiting.add(turn)
      })
      return isTurn ? leave : undefined
    },
  }
}
