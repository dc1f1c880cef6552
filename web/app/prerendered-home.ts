import { saveDraft } from '../shortener-draft.ts'

/**
 * Input on Home before its script came becomes the draft of the shortener. Pressing Shorten that early
 * loads the page again, with the fields in its address.
 */
export function keepTypedText(root: HTMLElement): void {
  const sent = new URLSearchParams(window.location.search)
  const read = (name: string) =>
    root.querySelector<HTMLInputElement>(`input[name="${name}"]`)?.value || (sent.get(name) ?? '')
  const draft = { url: read('url'), code: read('code').toLowerCase(), isPending: false }
  if (draft.url !== '' || draft.code !== '') saveDraft(draft, null)
  if (!sent.has('url')) return
  sent.delete('url')
  sent.delete('code')
  const rest = sent.toString()
  window.history.replaceState(window.history.state, '', rest === '' ? '/' : `/?${rest}`)
}

/** Gives the focus back to the field that had it before the script took over. */
export function focusedField(root: HTMLElement): () => void {
  const name = document.activeElement?.getAttribute('name')
  if (name === null || name === undefined || !root.contains(document.activeElement)) return () => {}
  return () => root.querySelector<HTMLInputElement>(`input[name="${name}"]`)?.focus()
}
