import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useEffect, type ReactNode } from 'react'
import { routes } from '#domain/routes.ts'
import { enterAdmin } from '#web/session/admin-exit.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { Screen } from '#web/ui/screen.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'

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
    <Screen
      title={title}
      intro={intro}
      actions={actions}
      before={
        isDashboard === true ? null : (
          <Link to={routes.admin.path} className={`${buttonClass('quiet', 'small')} -ml-3 mb-1`}>
            <ArrowLeft size={16} aria-hidden />
            Back to Admin
          </Link>
        )
      }
    >
      {children}
    </Screen>
  )
}
