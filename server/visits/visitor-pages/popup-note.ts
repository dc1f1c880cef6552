import { isPopupAction, type PopupAction } from '#domain/popups/popup-actions.ts'

/** Fields of a popup event in the journal besides those of every visit. */
export interface PopupNote {
  action: PopupAction
  /** The id of the link or bio page that showed it, as 32 hexadecimal digits. */
  surface: string
}

/** The text that a record of the journal has in the place of a query. */
export function writePopupNote({ action, surface }: PopupNote): string {
  return `${action}&${surface}`
}

/** Undefined for a text that {@link writePopupNote} did not write. */
export function readPopupNote(text: string): PopupNote | undefined {
  const [, action = '', surface = ''] = /^([a-z-]{1,20})&([0-9a-f]{32})$/.exec(text) ?? []
  return isPopupAction(action) ? { action, surface } : undefined
}
