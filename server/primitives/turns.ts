/** Lets those with the same key pass one after another: waits for the turn, and returns how to end it. */
export function createTurns(): (key: string) => Promise<() => void> {
  const last = new Map<string, Promise<void>>()
  return async (key) => {
    const before = last.get(key)
    let end = () => {}
    const turn = new Promise<void>((resolve) => {
      end = resolve
    })
    last.set(key, turn)
    await before
    return () => {
      if (last.get(key) === turn) last.delete(key)
      end()
    }
  }
}
