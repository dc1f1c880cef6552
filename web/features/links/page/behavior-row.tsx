import { useRights } from '#web/session/space/rights.ts'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface BehaviorRowProps {
  Icon: LucideIcon
  /** A sentence about the link. */
  children: ReactNode
  detail?: ReactNode
  /** Buttons that change it, for people who may. */
  actions?: ReactNode
}

/** One option of a link: a sentence, and its verbs. */
export function BehaviorRow({ Icon, children, detail, actions }: BehaviorRowProps) {
  const mayWrite = useRights()('links:write')
  return (
    <div className="flex flex-wrap items-center gap-x-3.5 gap-y-2.5 px-5 py-3.5">
      <Icon
        size={18}
        aria-hidden
        className="shrink-0 text-ink-faint max-sm:mt-0.5 max-sm:self-start"
      />
      <div className="min-w-0 grow basis-32 wrap-anywhere">
        <div className="font-medium">{children}</div>
        {detail === undefined || detail === null ? null : (
          <div className="mt-0.5 text-sm text-ink-soft">{detail}</div>
        )}
      </div>
      {actions === undefined || actions === null || !mayWrite ? null : (
        <div className="flex flex-wrap gap-2 max-sm:pl-8">{actions}</div>
      )}
    </div>
  )
}
