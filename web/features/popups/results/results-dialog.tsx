import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { routes } from '#domain/routes.ts'
import { clicksOffer } from '#web/clicks/clicks-offer.ts'
import type { PopupRow } from '#web/database.ts'
import { usePlan } from '#web/plan/plan.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { ToggleButton } from '#web/ui/toggle-button.tsx'
import { type ResultDays, resultDays } from '#web/clicks/popup-report.ts'
import { ResultsPanel } from './results-panel.tsx'
import { ResultsShape } from './results-shape.tsx'

interface ResultsDialogProps {
  userId: string
  /** Undefined: closed. */
  popup: PopupRow | undefined
  onClose: () => void
}

/** Results of a popup, as far as the plan shows them. */
export function ResultsDialog({ userId, popup, onClose }: ResultsDialogProps) {
  return (
    <Dialog
      open={popup !== undefined}
      onClose={onClose}
      title="Results"
      shape="wide"
      description={<span className="wrap-anywhere">{popup?.title}</span>}
    >
      {popup === undefined ? null : <Results userId={userId} popup={popup} />}
    </Dialog>
  )
}

function Results({ userId, popup }: { userId: string; popup: PopupRow }) {
  const plan = usePlan(userId)
  const [days, setDays] = useState<ResultDays>(30)
  if (plan === undefined) return <ResultsShape isLoading />
  if (!plan.limits.canViewClicks) return <LockedResults />
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <fieldset className="flex flex-wrap gap-1.5">
        <legend className="sr-only">Time</legend>
        {resultDays.map((each) => (
          <ToggleButton key={each} isOn={each === days} onPress={() => setDays(each)}>
            {each} days
          </ToggleButton>
        ))}
      </fieldset>
      <ResultsPanel userId={userId} popup={popup} days={days} locked={<LockedResults />} />
    </div>
  )
}

/** Nothing is asked for. */
function LockedResults() {
  return (
    <div className="relative">
      <ResultsShape />
      <div className="absolute inset-0 grid place-items-center">
        <div className="grid max-w-sm justify-items-center gap-3 rounded-2xl border border-line bg-surface p-6 text-center shadow-lift max-sm:mx-4">
          <p className="text-sm text-ink-soft text-pretty">
            Pro and Business show how often it was shown, clicked and closed, and where.
          </p>
          <Link to={routes.upgrade.path} className={buttonClass('accent')}>
            {clicksOffer}
          </Link>
        </div>
      </div>
    </div>
  )
}
