import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import { bioFormProblems } from '#domain/bio/bio-form.ts'
import { bioNotices } from '#domain/texts/bio-texts.ts'
import type { SavedBioPage } from '#web/api/database.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import {
  afterSave,
  type BioDraft,
  bioDraftOf,
  type FirstAnswers,
  isChanged,
  rowsWithProblems,
} from './bio-draft.ts'
import { bioPageQuery } from './bio-page-query.ts'
import { type BioSave, saveBioPage, type SaveResult } from './save-bio-page.ts'

export type Problems = ReadonlyMap<string, string>
const noProblems: Problems = new Map()

/** Changes parts of the draft. */
export type ChangeDraft = (change: (draft: BioDraft) => Partial<BioDraft>) => void

/** Which rows show their fields, by their keys: one at a time, or all that have problems. */
export interface UnfoldedRows {
  has: (key: string) => boolean
  toggle: (key: string) => void
  unfold: (keys: readonly string[]) => void
}

/** The parts of the editor, of which narrow screens show one at a time. */
export type EditorTab = 'edit' | 'look' | 'preview'

/** The state of the editor: input, stored page, problems, and the save. */
export function useBioEditor(
  userId: string,
  loaded: SavedBioPage | null,
  first: FirstAnswers | undefined,
) {
  const client = useQueryClient()
  const [draft, setDraft] = useState(() => bioDraftOf(loaded, first))
  const [stored, setStored] = useState(() => storedState(loaded, draft))
  const [isLive, setIsLive] = useState(false)
  const [problems, setProblems] = useState(noProblems)
  const [tab, setTab] = useState<EditorTab>('edit')
  const [conflict, setConflict] = useState<{ version: string | null }>()
  const unfolded = useUnfoldedRows()
  const form = useRef<HTMLFormElement>(null)
  useFocusOnFirstProblem(form, problems)

  function showProblems(found: Problems) {
    setProblems(found)
    if (found.size > 0) setTab('edit')
    const rows = rowsWithProblems(draft, found.keys())
    if (rows.length > 0) unfolded.unfold(rows)
  }

  function finish(result: SaveResult, { draft: sent }: BioSave) {
    if (!result.ok) {
      if (result.reason === 'stale') return setConflict(result)
      if (result.reason === 'slug') showProblems(new Map([['slug', result.message]]))
      return notifyError(
        result.reason === 'failed'
          ? bioNotices.saveFailed
          : { title: 'Error', description: result.message },
      )
    }
    const saved = afterSave(sent, result.saved)
    client.setQueryData(bioPageQuery(userId).queryKey, result.saved)
    if (stored.page === undefined) setIsLive(true)
    setStored({ page: result.saved.page, draft: saved })
    // Input during the save stays.
    setDraft((now) => (now === sent ? saved : withIds(now, saved)))
    notifySuccess(bioNotices.saved)
  }

  const saving = useSingleMutation({
    mutationFn: saveBioPage,
    onError: () => notifyError(bioNotices.saveFailed),
    onSuccess: finish,
  })

  const change: ChangeDraft = useCallback((changeOf) => {
    setDraft((now) => ({ ...now, ...changeOf(now) }))
    setProblems(noProblems)
  }, [])

  function save(version = stored.page?.version ?? null) {
    const found = bioFormProblems(toForm(draft))
    showProblems(found)
    const [problem] = found.values()
    if (problem === undefined) return saving.mutate({ draft, version })
    notifyError(
      problem === bioNotices.required.title
        ? bioNotices.required
        : { title: 'Validation Error', description: problem },
    )
  }

  /** Replaces the draft with the stored page. */
  const takeTheirs = useAction(async () => {
    try {
      const theirs = await client.fetchQuery({ ...bioPageQuery(userId), staleTime: 0 })
      const theirDraft = bioDraftOf(theirs)
      setStored({ page: theirs?.page, draft: theirDraft })
      setDraft(theirDraft)
      setConflict(undefined)
    } catch {
      notifyError(bioNotices.loadFailed)
    }
  })

  return {
    conflict: conflict && {
      keepMine: () => {
        setConflict(undefined)
        save(conflict.version)
      },
      takeTheirs,
      close: () => setConflict(undefined),
    },
    form,
    fields: { draft, change, problems, unfolded },
    tab,
    setTab,
    save,
    saving: saving.isPending,
    page: stored.page,
    isLive,
    closeLive: () => setIsLive(false),
    changed: isChanged(draft, stored.draft),
  }
}

/** The page before any edit. A page that is not stored yet has unsaved changes. */
function storedState(loaded: SavedBioPage | null, draft: BioDraft) {
  return { page: loaded?.page, draft: loaded === null ? bioDraftOf(null) : draft }
}

/** State that the sections of the editor read and write. */
export type BioFields = ReturnType<typeof useBioEditor>['fields']

function toForm(draft: BioDraft) {
  return {
    ...draft,
    theme: { ...draft.theme },
    links: draft.links.map(({ kind, title, url, startsAt, endsAt }) => ({
      kind,
      title,
      url,
      startsAt,
      endsAt,
    })),
    socialLinks: draft.socialLinks.map(({ platform, url }) => ({ platform, url })),
  }
}

function withIds(now: BioDraft, saved: BioDraft): BioDraft {
  const idOf = new Map([...saved.links, ...saved.socialLinks].map(({ key, id }) => [key, id]))
  const named = <T extends { key: string; id?: string }>(row: T): T => {
    const id = idOf.get(row.key)
    return id === undefined ? row : { ...row, id }
  }
  return { ...now, links: now.links.map(named), socialLinks: now.socialLinks.map(named) }
}

function useUnfoldedRows(): UnfoldedRows {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  return {
    has: (key) => keys.has(key),
    toggle: (key) => setKeys((now) => new Set(now.has(key) ? [] : [key])),
    unfold: (wanted) => setKeys(new Set(wanted)),
  }
}

/** Fields carry their path as `data-path`. */
function useFocusOnFirstProblem(form: React.RefObject<HTMLFormElement | null>, problems: Problems) {
  useLayoutEffect(() => {
    if (problems.size === 0) return
    const fields = form.current?.querySelectorAll<HTMLElement>('[data-path]') ?? []
    for (const field of fields) {
      if (problems.has(field.dataset['path'] ?? '')) return field.focus()
    }
  }, [form, problems])
}
