import { type ReactNode, useId } from 'react'

interface EditorSectionProps {
  title: string
  hint?: ReactNode
  children: ReactNode
}

/** One card of the editor. */
export function EditorSection({ title, hint, children }: EditorSectionProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className="grid gap-5 rounded-3xl border border-line bg-surface p-5 sm:p-7"
    >
      <div className="grid gap-1">
        <h2 id={id} className="text-xl font-semibold tracking-tight">
          {title}
        </h2>
        {hint === undefined ? null : <p className="text-sm text-ink-faint">{hint}</p>}
      </div>
      {children}
    </section>
  )
}
