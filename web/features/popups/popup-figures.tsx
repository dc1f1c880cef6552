import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { popupNameOf } from '#domain/popup-name.ts'
import { routes } from '#domain/routes.ts'
import { popupReportQuery } from '#web/clicks/popup-report.ts'
import type { PopupRow } from '#web/database.ts'
import { useSeen } from '#web/ui/use-seen.ts'
import { figureWords } from './results/result-words.ts'

interface PopupFiguresProps {
  userId: string
  popup: PopupRow
  /** Whether the plan shows results. */
  isShown: boolean
}

/** The results of the last 30 days in one line, which leads to all of them. They load when the card is near the window. */
export function PopupFigures({ userId, popup, isShown }: PopupFiguresProps) {
  const line = useRef<HTMLDivElement>(null)
  const isSeen = useSeen(line)
  const report = useQuery({
    ...popupReportQuery(userId, popup.id, 30),
    enabled: isShown && isSeen,
    staleTime: 60_000,
  }).data
  return (
    <div ref={line} className="h-9 min-w-0 text-sm">
      <Link
        to={routes.popupResults.path}
        params={{ id: popup.id }}
        className="flex h-full items-center justify-between gap-3 tabular-nums underline-offset-4 hover:underline"
      >
        <span className="min-w-0 truncate font-medium">
          {report === undefined ? 'Results' : figureWords(report, popup.collect_email)}
          <span className="sr-only">{` of ${popupNameOf(popup)}`}</span>
        </span>
        {report === undefined ? null : (
          <span className="shrink-0 text-xs text-ink-faint">30 days</span>
        )}
      </Link>
    </div>
  )
}
