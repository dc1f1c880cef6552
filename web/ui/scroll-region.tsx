import type { HTMLAttributes } from 'react'

/** A part that scrolls by itself. It takes the focus, so that the arrow keys scroll it too. */
export function ScrollRegion(props: HTMLAttributes<HTMLElement>) {
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by key
  return <section {...props} tabIndex={0} />
}
