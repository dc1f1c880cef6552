import { useEffect, useRef } from 'react'

/**
 * A callback that does nothing once its component has left the screen: a form in a dialog that was closed meanwhile must
 * not close the dialog that is open by the time of its answer.
 */
export function useWhileShown<Args extends unknown[], Result>(
  act: (...args: Args) => Result,
): (...args: Args) => Result | undefined {
  const isShown = useRef(false)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  return (...args) => (isShown.current ? act(...args) : undefined)
}
