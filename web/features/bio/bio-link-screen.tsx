import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { bioNotices } from '#domain/texts/bio-texts.ts'
import { useKeptRight } from '#web/session/space/rights.ts'
import { useSession } from '#web/session/session.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { Screen } from '#web/ui/screen.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { useTitle } from '#web/ui/hooks/use-title.ts'
import type { FirstAnswers } from './bio-draft.ts'
import { BioEditor } from './bio-editor.tsx'
import { bioPageQuery } from './bio-page-query.ts'
import { BioOfSpace } from './bio-of-space.tsx'
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
  const mayWrite = useKeptRight('bio:write')
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
  if (!mayWrite) return <BioOfSpace page={data} />
  if (data === null && first === undefined) return <FirstVisit userId={userId} onDone={setFirst} />
  return <BioEditor userId={userId} loaded={data} first={first} />
}

/** The editor while it loads: the same boxes, so that nothing moves when the page is here. */
function EditorSkeleton() {
  const box = 'rounded-2xl border border-line bg-surface'
  return (
    <Screen title="Bio Link">
      <output className="sr-only">Loading your bio page</output>
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_375px]">
        <div className="grid gap-4">
          <div className={`${box} h-72`} />
          <div className={`${box} h-screen`} />
        </div>
        <div className={`${box} mt-8 h-[min(47.5rem,calc(100dvh-8rem))] max-lg:hidden`} />
      </div>
    </Screen>
  )
}
