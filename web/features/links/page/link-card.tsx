import { useId, type ReactNode, type Ref } from 'react'

interface LinkCardProps {
  title: string
  ref?: Ref<HTMLElement>
  children: ReactNode
}

/** One of the cards on the page of a link. */
export function LinkCard({ title, ref, children }: LinkCardProps) {
  const id = useId()
  return (
    <section
      ref={ref}
      aria-labelledby={id}
      tabIndex={-1}
      className="min-w-0 scroll-mt-20 rounded-2xl border border-line bg-surface p-5"
    >
      <h2 id={id} className="text-sm font-medium text-ink-soft">
        {title}
      </h2>
      {children}
    </section>
  )
}
