import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useEffect, type ReactNode } from 'react'
import { routes } from '#domain/routes.ts'
import { enterAdmin } from '#web/session/admin-exit.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { useTitle } from '#web/ui/use-title.ts'

interface AdminPageProps {
  title: string
  intro?: ReactNode
  /** Stands at the right of the title. */
  actions?: ReactNode
  /** The dashboard itself has no way back to it. */
  isDashboard?: boolean
  children: ReactNode
}

/** The frame of every admin screen. */
export function AdminPage({ title, intro, actions, isDashboard, children }: AdminPageProps) {
  useTitle(`${title} · Hoplet`)
  useEffect(enterAdmin, [])
  return (
    <div className="mx-auto w-full max-w-5xl px-4 py-10 sm:px-6 sm:py-14">
      {isDashboard === true ? null : (
        <Link to={routes.admin.path} className={`${buttonClass('quiet', 'small')} -ml-3 mb-4`}>
          <ArrowLeft size={16} aria-hidden />
          Back to Admin
        </Link>
      )}
      <div className="mb-8 flex flex-wrap items-end justify-between gap-4">
        <div className="min-w-0">
          <h1 className="text-3xl font-semibold tracking-[-0.03em] sm:text-4xl">{title}</h1>
          {intro === undefined ? null : (
            <p className="mt-1.5 max-w-2xl text-ink-soft text-pretty">{intro}</p>
          )}
        </div>
        {actions}
      </div>
      {children}
    </div>
  )
}
