import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'

interface ElsewhereProps {
  /** Undefined: here. Null: not there yet. */
  into: HTMLElement | null | undefined
  children: ReactNode
}

/** Renders into another place of the screen. */
export function Elsewhere({ into, children }: ElsewhereProps) {
  if (into === undefined) return children
  return into === null ? null : createPortal(children, into)
}
