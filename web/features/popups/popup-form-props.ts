import type { PopupDraft } from '#domain/popups/popup-form.ts'

/** Props of each card of the form: the popup so far, a way to change it, and the problems of fields. */
export interface PopupFormProps {
  draft: PopupDraft
  change: (part: Partial<PopupDraft>) => void
  problemOf: (field: keyof PopupDraft) => string | undefined
}
