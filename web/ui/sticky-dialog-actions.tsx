import type { ReactNode } from 'react'

/** The row of buttons that ends a dialog which may be higher than the window: stays in sight. */
export function StickyDialogActions({ children }: { children: ReactNode }) {
  return (
    <div className="sticky bottom-0 z-20 -mx-6 mt-6 -mb-8 flex items-center justify-end gap-2.5 border-t border-line bg-surface px-6 py-4 sm:-mx-7 sm:-mb-7 sm:px-7">
      {children}
    </div>
  )
}
