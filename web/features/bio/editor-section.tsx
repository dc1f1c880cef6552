import { type ReactNode, useId } from 'react'

interface EditorSectionProps {
  title: string
  hint?: ReactNode
  /** At the right of the title. */
  action?: ReactNode
  children: ReactNode
}

/** One card of the editor. Its content adapts to its own width, which depends on the preview beside it. */
export function EditorSection({ title, hint, action, children }: EditorSectionProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className="@container grid grid-cols-[minmax(0,1fr)] gap-4 rounded-2xl border border-line bg-surface p-4 sm:p-5"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id={id} className="text-base font-semibold">
          {title}
        </h2>
        {action}
        {hint === undefined ? null : <p className="w-full text-sm text-ink-faint">{hint}</p>}
      </div>
      {children}
    </section>
  )
}
