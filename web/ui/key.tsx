import type { ReactNode } from 'react'

/** The name of a key. Decoration: its action is named beside it, and to assistive technology by `aria-keyshortcuts`. */
export function Key({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <kbd
      className={`rounded-md border border-current/30 px-1.5 font-mono whitespace-nowrap text-xs leading-5 ${className ?? ''}`}
    >
      {children}
    </kbd>
  )
}
