const every = 50
const mostAtOnce = 500

/**
 * Gathers names that are to be read again without anybody waiting, and reads them in large groups, one at a time.
 * With 100,000 busy links this is most of what the age limit costs.
 */
export function createRefresher(
  read: (names: readonly string[]) => Promise<void>,
): (name: string) => void {
  const wanted = new Set<string>()
  let isRunning = false

  const run = async () => {
    while (wanted.size > 0) {
      const names: string[] = []
      for (const name of wanted) if (names.push(name) === mostAtOnce) break
      await read(names)
      // Only now: until it is read, asking for it again changes nothing.
      for (const name of names) wanted.delete(name)
    }
    isRunning = false
  }
  return (name) => {
    wanted.add(name)
    if (isRunning) return
    isRunning = true
    setTimeout(() => void run(), every)
  }
}
