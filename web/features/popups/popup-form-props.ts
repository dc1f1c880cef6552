import type { PopupDraft } from '#domain/popup-form.ts'

/** What each card of the form gets: the popup so far, a way to change it, and what is wrong with a field. */
export interface PopupFormProps {
  draft: PopupDraft
  change: (part: Partial<PopupDraft>) => void
  problemOf: (field: keyof PopupDraft) => string | undefined
}
