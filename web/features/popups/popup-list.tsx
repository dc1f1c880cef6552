import { useQuery } from '@tanstack/react-query'
import type { PopupRow } from '#web/database.ts'
import { usePlan } from '#web/plan/plan.ts'
import { type PopupActions, PopupCard } from './popup-card.tsx'
import { popupUsesQuery } from './popups-query.ts'

const gridClass = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-2 xl:grid-cols-3'

interface PopupPageProps extends PopupActions {
  userId: string
  popups: readonly PopupRow[]
  marked: boolean
}

/** The cards of one page of the list. Where they are used comes in one answer for all of them. */
export function PopupPage({ userId, popups, ...card }: PopupPageProps) {
  const ids = popups.map(({ id }) => id)
  const uses = useQuery(popupUsesQuery(userId, ids)).data
  const showsFigures = usePlan(userId)?.limits.canViewClicks === true
  return (
    <ul className={gridClass}>
      {popups.map((popup) => (
        <li key={popup.id} className="min-w-0">
          <PopupCard
            {...card}
            userId={userId}
            popup={popup}
            uses={uses?.get(popup.id)}
            showsFigures={showsFigures}
          />
        </li>
      ))}
    </ul>
  )
}

/** In the place of the cards, as high as they are. */
export function PopupSkeletons() {
  return (
    <div className={gridClass}>
      <output className="sr-only">Loading your popups</output>
      {[0, 1, 2].map((index) => (
        <div
          key={index}
          aria-hidden
          className="h-[24rem] rounded-2xl border border-line bg-surface"
        />
      ))}
    </div>
  )
}
