import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { routes } from '#domain/routes.ts'
import { popupNotices } from '#domain/texts/popup-texts.ts'
import { useRights } from '#web/session/space/rights.ts'
import { Allowed } from '#web/session/space/allowed.tsx'
import { popupCountQuery } from '#web/api/account-counts.ts'
import { usePlan } from '#web/plan/plan.ts'
import { UsePopupDialog } from '#web/popup-picker/use-popup-dialog.tsx'
import { useSession } from '#web/session/session.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { Mark } from '#web/ui/mark.tsx'
import { QueryList } from '#web/ui/query-list.tsx'
import { Screen } from '#web/ui/screen.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import type { PopupRow } from '#web/api/database.ts'
import { useDuplicatePopup, useSwitchPopup } from './change-popup.ts'
import { DeletePopupDialog, type PopupToDelete } from './delete-popup-dialog.tsx'
import { type PopupActions, PopupCard } from './popup-card.tsx'
import { popupsQuery, popupUsesQuery } from './popups-query.ts'

export function MyPopupsScreen() {
  useTitle('My Popups · Hoplet')
  const session = useSession()
  const userId = session.status === 'signed-in' ? session.userId : undefined
  const count = useQuery({ ...popupCountQuery(userId ?? ''), enabled: userId !== undefined }).data
  return (
    <Screen
      title="My Popups"
      count={count === 0 ? undefined : count?.toLocaleString('en-US')}
      intro="Manage your conversion popups"
      actions={
        <Allowed right="popups:write">
          <Link to={routes.popupGenerator.path} className={buttonClass('ink')}>
            <Plus size={18} aria-hidden />
            {/* One text, with room beside the title on phones. */}
            <span>
              <span className="max-rail:sr-only">Create </span>New
              <span className="max-rail:sr-only"> Popup</span>
            </span>
          </Link>
        </Allowed>
      }
    >
      {userId === undefined ? <PopupSkeletons /> : <Popups key={userId} userId={userId} />}
    </Screen>
  )
}

function Popups({ userId }: { userId: string }) {
  const query = useInfiniteQuery(popupsQuery(userId))
  const marked = usePlan(userId)?.plan === 'free'
  const switchPopup = useSwitchPopup(userId)
  const duplicate = useDuplicatePopup(userId)
  const [deleting, setDeleting] = useState<PopupToDelete>()
  const [using, setUsing] = useUsedPopup()
  const list = useRef<HTMLDivElement>(null)
  const pages = query.data?.pages.filter((page) => page.length > 0)

  const actions: PopupActions = {
    onSwitch: ({ id }, is_active) => switchPopup.mutate({ id, is_active }),
    onUse: ({ id }) => setUsing(id),
    onDuplicate: (popup) => duplicate.mutate(popup),
    onDelete: (popup, uses) => setDeleting({ popup, uses }),
  }

  return (
    <div ref={list} tabIndex={-1} data-quiet-focus className="grid gap-4">
      <QueryList
        query={query}
        rows={pages}
        loading={null}
        skeleton={<PopupSkeletons />}
        failed={popupNotices.fetchFailed}
        empty={<EmptyPanel />}
        more={{ label: 'Show more popups', className: 'justify-self-center' }}
      >
        {(shown) =>
          shown.map((popups, page) => (
            <PopupPage key={page} {...actions} userId={userId} popups={popups} marked={marked} />
          ))
        }
      </QueryList>
      <UsePopupDialog
        userId={userId}
        popup={pages?.flat().find(({ id }) => id === using)}
        onClose={() => setUsing(undefined)}
      />
      <DeletePopupDialog
        userId={userId}
        subject={deleting}
        onClose={() => setDeleting(undefined)}
        onDeleted={(deleted) => {
          setDeleting((now) => (now === deleted ? undefined : now))
          // The button that opened the dialog has left with its card; the focus goes to the rest.
          requestAnimationFrame(() => list.current?.focus({ preventScroll: true }))
        }}
      />
    </div>
  )
}

/** The popup that the dialog is about: at first one that was just created. A reload does not ask again. */
function useUsedPopup() {
  const created = useLocation({ select: ({ state }) => state.createdPopup })
  const [using, setUsing] = useState(created)
  useEffect(() => {
    if (created === undefined) return
    const { createdPopup: _, ...state } = Object(window.history.state) as Record<string, unknown>
    window.history.replaceState(state, '')
  }, [created])
  return [using, setUsing] as const
}

function EmptyPanel() {
  const mayWrite = useRights()('popups:write')
  return (
    <StatePanel
      title={mayWrite ? "You haven't created any popups yet" : 'No popups yet'}
      figure={<Mark size={44} />}
      action={
        !mayWrite ? undefined : (
          <Link to={routes.popupGenerator.path} className={buttonClass('plain')}>
            Create Your First Popup
          </Link>
        )
      }
    >
      One offer, shown before a link or on your bio page
    </StatePanel>
  )
}

const gridClass = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-2 xl:grid-cols-3'

interface PopupPageProps extends PopupActions {
  userId: string
  popups: readonly PopupRow[]
  marked: boolean
}

/** The cards of one page of the list. Where they are used comes in one answer for all of them. */
function PopupPage({ userId, popups, ...card }: PopupPageProps) {
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

/** Placeholder with the cards' height. */
function PopupSkeletons() {
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
