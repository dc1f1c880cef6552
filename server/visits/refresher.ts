const intervalMs = 50
const maxNamesPerRead = 500

/**
 * Collects names to read again in the background, and reads them in large groups, one group at a time, which keeps the
 * age limit cheap with 100,000 busy links.
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
      // Removed only after the read, so that a name that is being read is not queued again.
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
