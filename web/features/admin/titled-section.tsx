import { useId, type ReactNode } from 'react'

interface TitledSectionProps {
  title: string
  intro?: string
  action?: ReactNode
  children: ReactNode
}

/** A part of a screen under a separate heading. */
export function TitledSection({ title, intro, action, children }: TitledSectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="min-w-0">
      <div className="mb-4 flex flex-wrap items-end justify-between gap-3">
        <div>
          <h2 id={id} className="text-xl font-semibold tracking-tight">
            {title}
          </h2>
          {intro === undefined ? null : (
            <p className="mt-1 max-w-2xl text-sm text-ink-soft text-pretty">{intro}</p>
          )}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}
