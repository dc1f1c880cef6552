import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { routes } from '#domain/routes.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { Screen } from '#web/ui/screen.tsx'

interface FrameProps {
  title: string
  intro?: string
  actions?: ReactNode
  children: ReactNode
}

/** The frame of each step, with the way back. */
export function Frame({ title, intro, actions, children }: FrameProps) {
  return (
    <Screen
      title={title}
      intro={intro}
      actions={actions}
      before={
        <Link to={routes.dashboard.path} className={`${buttonClass('quiet', 'small')} -ml-3 mb-1`}>
          <ArrowLeft size={16} aria-hidden />
          My Links
        </Link>
      }
    >
      {children}
    </Screen>
  )
}
