import { useId, type ReactNode } from 'react'

interface EditorCardProps {
  title: string
  icon: ReactNode
  children: ReactNode
}

/** One of the cards that the editor is made of. */
export function EditorCard({ title, icon, children }: EditorCardProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className="grid gap-5 rounded-2xl border border-line bg-surface p-5 sm:p-6"
    >
      <h2 id={id} className="flex items-center gap-2.5 text-base font-semibold">
        <span className="text-accent-text">{icon}</span>
        {title}
      </h2>
      {children}
    </section>
  )
}
