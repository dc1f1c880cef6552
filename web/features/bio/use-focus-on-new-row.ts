import { useLayoutEffect, useRef } from 'react'

/** Lets the first field of a row that was just added have the focus. */
export function useFocusOnNewRow(rows: readonly unknown[]) {
  const section = useRef<HTMLDivElement>(null)
  const wanted = useRef<string>(undefined)
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    const row = section.current?.querySelector(`[data-row="${wanted.current}"]`)
    row?.querySelector<HTMLElement>('input[data-path]')?.focus()
    wanted.current = undefined
  }, [rows])
  return {
    section,
    focusOn: (key: string) => {
      wanted.current = key
    },
  }
}
