import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { routes } from '#domain/routes.ts'
import { popupNotices } from '#domain/texts.ts'
import { useSession } from '#web/session/session.ts'
import type { PopupRow } from '#web/database.ts'
import { Button, buttonClass } from '#web/ui/button.tsx'
import { Loading, Mark } from '#web/ui/mark.tsx'
import { notifyError } from '#web/ui/notify.ts'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { useTitle } from '#web/ui/use-title.ts'
import { DeletePopupDialog } from './delete-popup-dialog.tsx'
import { useDeletePopup } from './delete-popup.ts'
import { PopupCard } from './popup-card.tsx'
import { popupsQuery } from './popups-query.ts'

export function MyPopupsScreen() {
  useTitle('My Popups · Hoplet')
  const session = useSession()
  return (
    <div className="mx-auto w-full max-w-5xl px-4 py-10 sm:px-6 sm:py-14">
      <div className="mb-8 flex flex-wrap items-center justify-between gap-4">
        <div>
          <h1 className="text-3xl font-semibold tracking-[-0.03em] sm:text-4xl">My Popups</h1>
          <p className="mt-1.5 text-ink-soft">Manage your conversion popups</p>
        </div>
        <Link to={routes.popupGenerator.path} className={buttonClass('accent')}>
          <Plus size={18} aria-hidden />
          Create New Popup
        </Link>
      </div>
      {session.status === 'signed-in' ? (
        <Popups key={session.userId} userId={session.userId} />
      ) : (
        <Loading label="Loading your popups" />
      )}
    </div>
  )
}

function Popups({ userId }: { userId: string }) {
  const query = useQuery(popupsQuery(userId))
  const deletePopup = useDeletePopup(userId)
  const [deleting, setDeleting] = useState<PopupRow>()
  const list = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (query.isError) notifyError(popupNotices.fetchFailed)
  }, [query.isError, query.errorUpdatedAt])

  return (
    <div ref={list} tabIndex={-1} data-quiet-focus>
      {query.isPending ? (
        <Loading label="Loading your popups" />
      ) : query.isError ? (
        <StatePanel
          role="alert"
          title={popupNotices.fetchFailed.title}
          action={<Button onClick={() => void query.refetch()}>Try Again</Button>}
        />
      ) : query.data.length === 0 ? (
        <EmptyPanel />
      ) : (
        <ul className="grid gap-5 sm:grid-cols-2 lg:grid-cols-3">
          {query.data.map((popup) => (
            <li key={popup.id} className="min-w-0">
              <PopupCard popup={popup} onDelete={setDeleting} />
            </li>
          ))}
        </ul>
      )}
      <DeletePopupDialog
        popup={deleting}
        busy={deletePopup.isPending}
        onClose={() => setDeleting(undefined)}
        onConfirm={(popup) =>
          deletePopup.mutate(popup.id, {
            onSuccess: () => {
              setDeleting(undefined)
              // The button that opened the dialog has left with its card; the focus goes to what is left.
              requestAnimationFrame(() => list.current?.focus({ preventScroll: true }))
            },
          })
        }
      />
    </div>
  )
}

function EmptyPanel() {
  return (
    <StatePanel
      title="You haven't created any popups yet"
      figure={<Mark size={44} />}
      action={
        <Link to={routes.popupGenerator.path} className={buttonClass('plain')}>
          Create Your First Popup
        </Link>
      }
    >
      A popup appears before a short link or on your bio page, and asks your visitors for one thing.
    </StatePanel>
  )
}
