import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { bioNotices } from '#domain/texts.ts'
import { useSession } from '#web/session/session.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError } from '#web/ui/notify.ts'
import { Screen } from '#web/ui/screen.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { useTitle } from '#web/ui/use-title.ts'
import type { FirstAnswers } from './bio-draft.ts'
import { BioEditor } from './bio-editor.tsx'
import { bioPageQuery } from './bio-page-query.ts'
import { EditorSkeleton } from './editor-skeleton.tsx'
import { FirstVisit } from './first-visit.tsx'

export function BioLinkScreen() {
  useTitle('Bio Link · Hoplet')
  const session = useSession()
  return session.status === 'signed-in' ? (
    <LoadedEditor key={session.userId} userId={session.userId} />
  ) : (
    <EditorSkeleton />
  )
}

/** The editor of the stored page; a person without one chooses name and address first. */
function LoadedEditor({ userId }: { userId: string }) {
  const [first, setFirst] = useState<FirstAnswers>()
  const { data, isPending, isError, errorUpdatedAt, refetch } = useQuery(bioPageQuery(userId))

  useEffect(() => {
    if (isError) notifyError(bioNotices.loadFailed)
  }, [isError, errorUpdatedAt])

  if (isPending) return <EditorSkeleton />
  if (data === undefined) {
    return (
      <Screen title="Bio Link">
        <StatePanel
          role="alert"
          title={bioNotices.loadFailed.description}
          action={<Button onClick={() => void refetch()}>Try Again</Button>}
        />
      </Screen>
    )
  }
  if (data === null && first === undefined) return <FirstVisit onDone={setFirst} />
  return <BioEditor userId={userId} loaded={data} first={first} />
}
