import { useNavigate } from '@tanstack/react-router'
import { useReducer, useRef, useState } from 'react'
import {
  newPopup,
  type PopupDraft,
  popupDraftOf,
  popupForm,
  type PopupForm,
} from '#domain/popups/popup-form.ts'
import { routes } from '#domain/routes.ts'
import { popupFieldMessages, popupNotices } from '#domain/texts/popup-texts.ts'
import type { PopupRow } from '#web/api/database.ts'
import type { Conflict } from '#web/ui/dialogs/conflict-dialog.tsx'
import { notifySuccess } from '#web/ui/toasts/notify.ts'
import { useForm } from '#web/forms/use-form.ts'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { popupEditorReducer } from './popup-editor-state.ts'
import { useCreatePopup, useUpdatePopup } from './save-popup.ts'

/** State of the editor: the draft, the form, and the save with its question. A new popup has no loaded row. */
export function usePopupEditor(userId: string, loaded: PopupRow | undefined) {
  const navigate = useWhileShown(useNavigate())
  const create = useCreatePopup(userId)
  const update = useUpdatePopup()
  /** The popup before any change here. */
  const [opened, setOpened] = useState(() =>
    loaded === undefined ? newPopup : popupDraftOf(loaded),
  )
  const [state, dispatch] = useReducer(popupEditorReducer, { draft: opened, replaced: {} })
  const { draft } = state
  /** Stored values that a save may replace. A ref: the save that follows a choice reads it before the next render. */
  const seen = useRef(loaded)
  const [newer, setNewer] = useState<PopupRow>()
  // A ref: it is set before the screen that follows a save is asked for.
  const isSaved = useRef(false)

  const form = useForm({
    schema: popupForm,
    values: { ...draft },
    submit: async (checked) => {
      const isNew = seen.current === undefined
      const result =
        seen.current === undefined
          ? await create(checked)
          : await update(seen.current, changedOnly(checked, draft, opened))
      if ('failure' in result) return { notice: result.failure }
      if ('newer' in result) return setNewer(result.newer)
      isSaved.current = true
      notifySuccess(isNew ? popupNotices.created : popupNotices.updated)
      await navigate({
        to: routes.myPopups.path,
        // A new popup is on no link or page: the list offers to choose one.
        ...(isNew && { state: { createdPopup: result.id } }),
      })
      return undefined
    },
    issueNotice: (message) => ({ title: message || popupFieldMessages.other }),
  })

  const conflict: Conflict | undefined = newer && {
    keepMine() {
      seen.current = newer
      setNewer(undefined)
      form.submit()
    },
    takeTheirs: {
      busy: false,
      run() {
        const theirs = popupDraftOf(newer)
        seen.current = newer
        setNewer(undefined)
        setOpened(theirs)
        dispatch({ type: 'loaded', draft: theirs })
      },
    },
    close: () => setNewer(undefined),
  }

  return {
    state,
    dispatch,
    form,
    conflict,
    hasUnsaved: () => draft !== opened && !isSaved.current,
  }
}

/** The columns with a field that differs from the opened one. */
function changedOnly(form: PopupForm, draft: PopupDraft, opened: PopupDraft): Partial<PopupForm> {
  const columns = (Object.keys(form) as (keyof PopupForm)[]).filter(
    (column) => draft[column] !== opened[column],
  )
  return Object.fromEntries(columns.map((column) => [column, form[column]]))
}
