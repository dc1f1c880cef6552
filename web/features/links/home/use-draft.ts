import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react'
import { useSession } from '#web/session/session.ts'
import { type ShortenerDraft, emptyDraft, loadDraft, saveDraft } from '#web/shortener-draft.ts'

/** The shortener's two fields. They are emptied when their account leaves, on the screen and in storage. */
export function useDraft(): [ShortenerDraft, Dispatch<SetStateAction<ShortenerDraft>>] {
  const session = useSession()
  const [draft, setDraft] = useState(emptyDraft)
  // Undefined until it is known who is here; a draft of another account must not be shown for a moment.
  const owner =
    session.status === 'loading'
      ? undefined
      : session.status === 'signed-in'
        ? session.userId
        : null
  const shownFor = useRef<string | null>(undefined)

  useEffect(() => {
    if (owner === undefined || owner === shownFor.current) return
    const isTakenOver = typeof shownFor.current === 'string'
    shownFor.current = owner
    const stored = loadDraft(owner)
    setDraft((typed) => (isTakenOver || isEmpty(typed) ? stored : typed))
  }, [owner])

  useEffect(() => {
    if (owner !== undefined && shownFor.current === owner) saveDraft(draft, owner)
  }, [draft, owner])

  return [draft, setDraft]
}

function isEmpty({ url, code }: ShortenerDraft): boolean {
  return url === '' && code === ''
}
