/**
 * Calls for the same key and purpose share one run of the work; another purpose waits for it.
 *
 * @example `const share = shareCalls<string>(); share(userId, priceId, () => open())`
 */
export function shareCalls<T>() {
  const running = new Map<string, { purpose: string; result: Promise<T> }>()
  return async (key: string, purpose: string, work: () => Promise<T>): Promise<T> => {
    for (let other = running.get(key); other; other = running.get(key)) {
      if (other.purpose === purpose) return other.result
      await other.result.catch(() => undefined)
    }
    const result = work().finally(() => running.delete(key))
    running.set(key, { purpose, result })
    return result
  }
}
