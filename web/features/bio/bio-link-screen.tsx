import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { bioNotices } from '#domain/texts.ts'
import { useSession } from '#web/session/session.ts'
import { Button } from '#web/ui/button.tsx'
import { Loading } from '#web/ui/mark.tsx'
import { notifyError } from '#web/ui/notify.ts'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { useTitle } from '#web/ui/use-title.ts'
import { BioEditor } from './bio-editor.tsx'
import { bioPageQuery } from './bio-page-query.ts'

export function BioLinkScreen() {
  useTitle('Bio Link · Hoplet')
  const session = useSession()
  return (
    <div className="mx-auto w-full max-w-5xl px-4 py-10 sm:px-6 sm:py-14">
      {session.status === 'signed-in' ? (
        <LoadedEditor key={session.userId} userId={session.userId} />
      ) : (
        <Loading label="Loading your bio page" />
      )}
    </div>
  )
}

function LoadedEditor({ userId }: { userId: string }) {
  const { data, isPending, isError, errorUpdatedAt, refetch } = useQuery(bioPageQuery(userId))

  useEffect(() => {
    if (isError) notifyError(bioNotices.loadFailed)
  }, [isError, errorUpdatedAt])

  if (isPending) return <Loading label="Loading your bio page" />
  if (data === undefined) {
    return (
      <>
        <h1 className="sr-only">Bio Link</h1>
        <StatePanel
          role="alert"
          title={bioNotices.loadFailed.description}
          action={<Button onClick={() => void refetch()}>Try Again</Button>}
        />
      </>
    )
  }
  return <BioEditor userId={userId} loaded={data} />
}
