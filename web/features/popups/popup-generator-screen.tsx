import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { LayoutGrid } from 'lucide-react'
import { useEffect } from 'react'
import { routes } from '#domain/routes.ts'
import { popupNotices } from '#domain/texts/popup-texts.ts'
import { useSession } from '#web/session/session.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { Screen } from '#web/ui/screen.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import { PopupEditor } from './popup-editor.tsx'
import { popupQuery } from './popups-query.ts'

export function PopupGeneratorScreen() {
  const { edit } = useSearch({ from: routes.popupGenerator.path })
  const title = edit === undefined ? 'AI Popup Generator' : 'Edit Popup'
  useTitle(`${title} · Hoplet`)
  const session = useSession()
  return (
    <Screen
      title={title}
      actions={
        <Link to={routes.myPopups.path} className={buttonClass()}>
          <LayoutGrid size={18} aria-hidden />
          My Popups
        </Link>
      }
    >
      {session.status !== 'signed-in' ? (
        <PopupEditorSkeleton />
      ) : edit === undefined ? (
        <PopupEditor key={`new ${session.userId}`} userId={session.userId} loaded={undefined} />
      ) : (
        <LoadedEditor key={`${edit} ${session.userId}`} userId={session.userId} id={edit} />
      )}
    </Screen>
  )
}

function LoadedEditor({ userId, id }: { userId: string; id: string }) {
  const navigate = useNavigate()
  const { data, isError } = useQuery(popupQuery(userId, id))

  useEffect(() => {
    if (!isError) return
    notifyError(popupNotices.loadFailed)
    void navigate({ to: routes.myPopups.path, replace: true })
  }, [isError, navigate])

  if (data === undefined) return <PopupEditorSkeleton />
  return <PopupEditor userId={userId} loaded={data} />
}

/** In the place of the editor while its popup is loading, as high as the editor. */
function PopupEditorSkeleton() {
  return (
    <div className="grid gap-x-8 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_26rem]">
      <output className="sr-only">Loading your popup</output>
      <div aria-hidden className="grid gap-5">
        {[11, 16, 2, 29, 18, 14].map((height) => (
          <div
            key={height}
            className="rounded-2xl border border-line bg-surface"
            style={{ height: `${height}rem` }}
          />
        ))}
      </div>
      <div
        aria-hidden
        className="h-[min(40rem,100dvh-15rem)] rounded-2xl border border-line bg-sunken max-lg:hidden"
      />
    </div>
  )
}
