import type { ReactNode } from 'react'
import { type Right, useRights } from './rights.ts'

/** Parts of a screen for people with a right. */
export function Allowed({ right, children }: { right: Right; children: ReactNode }) {
  return useRights()(right) ? children : null
}
