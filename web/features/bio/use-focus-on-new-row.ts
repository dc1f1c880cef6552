import { useLayoutEffect, useRef } from 'react'

/** Lets the first field of a row that was just added have the focus. */
export function useFocusOnNewRow(rows: readonly unknown[]) {
  const section = useRef<HTMLDivElement>(null)
  const wanted = useRef<string>(undefined)
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    section.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"] input`)?.focus()
    wanted.current = undefined
  }, [rows])
  return {
    section,
    focusOn: (key: string) => {
      wanted.current = key
    },
  }
}
