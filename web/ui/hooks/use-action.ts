import { useRef, useState } from 'react'

/**
 * Runs an action that a press starts, one at a time: a press while it runs does nothing. The guard is a ref, because the
 * second press of a double click comes before React has rendered the first.
 */
export function useAction<Args extends unknown[]>(
  act: (...args: Args) => Promise<unknown>,
): { busy: boolean; run: (...args: Args) => void } {
  const isRunning = useRef(false)
  const [busy, setBusy] = useState(false)
  const run = (...args: Args) => {
    if (isRunning.current) return
    isRunning.current = true
    setBusy(true)
    void act(...args).finally(() => {
      isRunning.current = false
      setBusy(false)
    })
  }
  return { busy, run }
}
