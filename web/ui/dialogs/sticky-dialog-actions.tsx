import type { ReactNode } from 'react'

/** The row of buttons that ends a dialog which may be higher than the window: stays in sight. */
export function StickyDialogActions({ children }: { children: ReactNode }) {
  return (
    <div className="sticky bottom-0 z-20 -mx-6 mt-6 -mb-[calc(2rem+var(--safe-bottom))] flex items-center justify-end gap-2.5 border-t border-line bg-surface px-6 pt-4 pb-[calc(1rem+var(--safe-bottom))] sm:-mx-7 sm:-mb-7 sm:px-7 sm:pb-4">
      {children}
    </div>
  )
}
