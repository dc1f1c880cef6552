/** Actions of a visitor on a popup, as its page reports them. 'left': the page was left without any of the others. */
export const popupActions = [
  'shown',
  'closed-button',
  'closed-backdrop',
  'closed-escape',
  'closed-later',
  'clicked',
  'emailed',
  'reached',
  'left',
] as const
export type PopupAction = (typeof popupActions)[number]

const known: ReadonlySet<string> = new Set(popupActions)

export function isPopupAction(text: string): text is PopupAction {
  return known.has(text)
}
