import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { popupNameOf } from '#domain/popups/popup-name.ts'
import { popupNotices } from '#domain/texts/popup-texts.ts'
import { routes } from '#domain/routes.ts'
import { Allowed } from '#web/session/space/allowed.tsx'
import { clicksOffer } from '#web/clicks/clicks-offer.ts'
import { type ResultDays, resultDays } from '#web/clicks/popup-report.ts'
import type { PopupRow } from '#web/api/database.ts'
import { usePlan } from '#web/plan/plan.ts'
import { useSession } from '#web/session/session.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { Screen } from '#web/ui/screen.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { ToggleButton } from '#web/ui/fields/toggle-button.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { popupQuery } from '../popups-query.ts'
import { ResultsPanel } from './results-panel.tsx'
import { ResultsShape } from './results-shape.tsx'

const route = getRouteApi(routes.popupResults.path)

/** Results of a popup, as far as the plan shows them. */
export function PopupResultsScreen() {
  const { id } = route.useParams()
  const session = useSession()
  if (session.status !== 'signed-in')
    return (
      <ResultsFrame>
        <ResultsShape isLoading />
      </ResultsFrame>
    )
  return <ResultsOfPopup key={`${id} ${session.userId}`} userId={session.userId} id={id} />
}

function ResultsOfPopup({ userId, id }: { userId: string; id: string }) {
  const plan = usePlan(userId)
  const { data: popup, isError } = useQuery(popupQuery(userId, id))
  const [days, setDays] = useState<ResultDays>(30)
  if (isError)
    return (
      <ResultsFrame>
        <StatePanel
          role="alert"
          title={popupNotices.loadFailed.title}
          action={
            <Link to={routes.myPopups.path} className={buttonClass()}>
              My Popups
            </Link>
          }
        />
      </ResultsFrame>
    )
  if (plan === undefined || popup === undefined)
    return (
      <ResultsFrame popup={popup}>
        <ResultsShape isLoading />
      </ResultsFrame>
    )
  if (!plan.limits.canViewClicks)
    return (
      <ResultsFrame popup={popup}>
        <LockedResults />
      </ResultsFrame>
    )
  const period = (
    <fieldset className="flex flex-wrap gap-1.5">
      <legend className="sr-only">Period</legend>
      {resultDays.map((each) => (
        <ToggleButton key={each} isOn={each === days} onPress={() => setDays(each)}>
          {each} days
        </ToggleButton>
      ))}
    </fieldset>
  )
  return (
    <ResultsFrame popup={popup} actions={period}>
      <ResultsPanel userId={userId} popup={popup} days={days} locked={<LockedResults />} />
    </ResultsFrame>
  )
}

interface ResultsFrameProps {
  popup?: PopupRow | undefined
  actions?: ReactNode
  children: ReactNode
}

function ResultsFrame({ popup, actions, children }: ResultsFrameProps) {
  const name = popup && popupNameOf(popup)
  useTitle(`${name === undefined ? 'Results' : `Results of ${name}`} · Hoplet`)
  return (
    <Screen
      title="Results"
      intro={<span className="line-clamp-2 min-h-6 wrap-anywhere">{name}</span>}
      actions={actions}
      before={
        <Link to={routes.myPopups.path} className={`${buttonClass('quiet', 'small')} mb-1 -ml-3`}>
          <ArrowLeft size={16} aria-hidden />
          My Popups
        </Link>
      }
    >
      {children}
    </Screen>
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
            Pro and Business show views, clicks and places.
          </p>
          <Allowed right="owner">
            <Link to={routes.upgrade.path} className={buttonClass('accent')}>
              {clicksOffer}
            </Link>
          </Allowed>
        </div>
      </div>
    </div>
  )
}
