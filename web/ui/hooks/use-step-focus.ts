import { type RefObject, useEffect, useRef } from 'react'

/** The step that this page showed last, whichever component it was of. */
let last: string | undefined

/**
 * For screens that go on in steps: moves the focus to the heading of each new one. The button that was pressed has gone
 * with the step before, and the focus would fall out of the page. The first step of a page leaves the focus alone, and
 * so does one that has put it into a field.
 *
 * @returns for the heading, which wants `tabIndex={-1}` and `data-quiet-focus`
 */
export function useStepFocus(step: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const isNext = last !== undefined && last !== step
    last = step
    if (isNext && !(document.activeElement instanceof HTMLInputElement)) heading.current?.focus()
  }, [step])
  return heading
}
