import { useId, type ReactNode } from 'react'

interface EditorCardProps {
  title: string
  icon: ReactNode
  /** At the right end of the title. */
  actions?: ReactNode
  children: ReactNode
}

/** One of the cards that the editor is made of. */
export function EditorCard({ title, icon, actions, children }: EditorCardProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className="grid grid-cols-[minmax(0,1fr)] gap-4 rounded-2xl border border-line bg-surface px-5 py-4"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <h2 id={id} className="flex items-center gap-2.5 text-base font-semibold">
          <span className="text-accent-text">{icon}</span>
          {title}
        </h2>
        {actions === undefined ? null : (
          <div className="-my-1.5 flex gap-1 pointer-coarse:-my-2.5">{actions}</div>
        )}
      </div>
      {children}
    </section>
  )
}
