import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

interface StatePanelProps {
  title: string
  children?: ReactNode
  action?: ReactNode
  /** Errors are announced at once, and look like errors. */
  role?: 'alert' | 'status'
  figure?: ReactNode
  /** Its title is that of the screen. */
  isScreen?: boolean
}

/** Replaces the content of a list or a screen: empty, nothing matches, failed. */
export function StatePanel(props: StatePanelProps) {
  const { title, children, action, role, figure, isScreen } = props
  const Heading = isScreen === true ? 'h1' : 'h2'
  return (
    <div
      role={role}
      className={`grid justify-items-center gap-3 rounded-2xl border px-6 text-center ${role === 'alert' ? 'border-danger/40 bg-danger-wash py-8' : 'border-dashed border-line py-16'}`}
    >
      {role === 'alert' ? <TriangleAlert size={28} aria-hidden className="text-danger" /> : figure}
      <Heading className="text-xl font-semibold tracking-tight text-balance">{title}</Heading>
      {children === undefined ? null : (
        <div className="max-w-sm leading-relaxed text-ink-soft text-pretty">{children}</div>
      )}
      {action === undefined ? null : <div className="mt-3">{action}</div>}
    </div>
  )
}
