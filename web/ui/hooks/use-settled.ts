import { useEffect, useState } from 'react'

/** A value once it has not changed for some milliseconds, so that each letter that is typed does not ask the server. */
export function useSettled<Value>(value: Value, ms = 200): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
