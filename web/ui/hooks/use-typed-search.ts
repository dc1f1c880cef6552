import { useEffect, useRef, useState } from 'react'

/** The text of a search field. `onSearch` is called a moment after the last letter. */
export function useTypedSearch(value: string, onSearch: (value: string) => void, delayMs = 250) {
  const [typed, setTyped] = useState(value)
  const search = useRef(onSearch)
  useEffect(() => {
    search.current = onSearch
  })

  // The value can change from outside: Clear Search, a link, or the browser's Back.
  const asked = useRef(value)
  useEffect(() => {
    if (value !== asked.current) setTyped(value)
    asked.current = value
  }, [value])

  useEffect(() => {
    const wanted = typed.trim()
    if (wanted === asked.current) return
    const timer = setTimeout(
      () => {
        asked.current = wanted
        search.current(wanted)
      },
      // Clearing needs no waiting for the next letter.
      wanted === '' ? 0 : delayMs,
    )
    return () => clearTimeout(timer)
  }, [typed, delayMs])

  return [typed, setTyped] as const
}
