const intervalMs = 50
const maxNamesPerRead = 500

/**
 * Collects names that have to be read again though no visitor waits for them, and reads them in large groups, one at a
 * time. With 100,000 busy links this is most of what the age limit costs.
 */
export function createRefresher(
  read: (names: readonly string[]) => Promise<void>,
): (name: string) => void {
  const wanted = new Set<string>()
  let isRunning = false

  const run = async () => {
    while (wanted.size > 0) {
      const names: string[] = []
      for (const name of wanted) if (names.push(name) === maxNamesPerRead) break
      await read(names)
      // Only now: while a name is being read, wanting it again changes nothing.
      for (const name of names) wanted.delete(name)
    }
    isRunning = false
  }
  return (name) => {
    wanted.add(name)
    if (isRunning) return
    isRunning = true
    setTimeout(() => void run(), intervalMs)
  }
}
