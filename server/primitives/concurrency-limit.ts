/** Limits concurrent work, for each key and, if `total` is given, altogether. */
export function createConcurrencyLimit(perKey: number, total = Infinity) {
  const taken = new Map<string, number>()
  let all = 0
  return {
    /** Takes a slot for `key`. @returns how to give it back, once; undefined when there is none left */
    take(key: string): (() => void) | undefined {
      const count = taken.get(key) ?? 0
      if (count >= perKey || all >= total) return undefined
      taken.set(key, count + 1)
      all++
      let isTaken = true
      return () => {
        if (!isTaken) return
        isTaken = false
        all--
        const left = (taken.get(key) ?? 1) - 1
        if (left > 0) taken.set(key, left)
        else taken.delete(key)
      }
    },
  }
}
