import type { ReactNode } from 'react'

interface StatePanelProps {
  title: string
  children?: ReactNode
  action?: ReactNode
  /** Errors are announced at once. */
  role?: 'alert' | 'status'
  figure?: ReactNode
}

/** What a list or a screen shows instead of its content: empty, nothing matches, failed. */
export function StatePanel({ title, children, action, role, figure }: StatePanelProps) {
  return (
    <div
      role={role}
      className="grid justify-items-center gap-3 rounded-3xl border border-dashed border-line px-6 py-16 text-center"
    >
      {figure}
      <h2 className="text-xl font-semibold tracking-tight text-balance">{title}</h2>
      {children === undefined ? null : (
        <div className="max-w-sm leading-relaxed text-ink-soft text-pretty">{children}</div>
      )}
      {action === undefined ? null : <div className="mt-3">{action}</div>}
    </div>
  )
}
