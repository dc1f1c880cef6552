import { Link } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface AdminCardProps {
  title: string
  to: string
  Icon: LucideIcon
  text: string
  /** How things are right now; null while it is not known. */
  state?: ReactNode
}

/** A card of the dashboard; the whole card is the link. */
export function AdminCard({ title, to, Icon, text, state }: AdminCardProps) {
  return (
    <li className="relative grid grid-rows-[auto_auto_1fr] gap-2 rounded-2xl border border-line bg-surface p-6 transition-colors duration-150 hover:border-edge">
      <Icon size={22} aria-hidden className="text-accent-text" />
      <div className="mt-2">
        <h2 className="text-base font-semibold tracking-tight">
          <Link to={to} className="after:absolute after:inset-0 after:rounded-2xl">
            {title}
          </Link>
        </h2>
        <p className="mt-1 text-ink-soft text-pretty">{text}</p>
      </div>
      {state === undefined ? null : (
        <p className="mt-2 min-h-7 self-end text-sm text-ink-soft tabular-nums">{state}</p>
      )}
    </li>
  )
}
