import type { ClickDetails } from '../visitor/visitor-facts.ts'

// Records of version 2 have no details: the query of a visit to a link with rules ends in a note with rule and variant,
// and with 'popup' the query is a note with the action and its surface. This file can go when no server writes version 2.

/** The longest note: two ids of 40 characters with two separators. */
export const maxNoteBytes = 82
/** No header of a visitor has this character: recorded texts are printable ASCII. */
const separator = '\n'

/** The query of a visit with the note after it. Ids are letters, digits, `_` and `-` (parse-rules.ts). */
export function queryWithNote(
  query: string,
  { rule, variant = '', action, surface }: ClickDetails,
): string {
  if (action !== undefined) return `${action}&${surface}`
  return rule === undefined ? query : `${query}${separator}${rule} ${variant}`
}

/** Splits a text of {@link queryWithNote}. */
export function splitNote(
  text: string,
  isOfPopup: boolean,
): { query: string; details: ClickDetails | undefined } {
  if (isOfPopup) {
    const [, action, surface] = /^([a-z-]{1,20})&([0-9a-f]{32})$/.exec(text) ?? []
    return { query: '', details: action && surface ? { action, surface } : undefined }
  }
  const at = text.indexOf(separator)
  const note = at === -1 ? null : /^([\w-]{1,40}) ([\w-]{0,40})$/.exec(text.slice(at + 1))
  if (!note) return { query: text, details: undefined }
  const [, rule = '', variant = ''] = note
  return { query: text.slice(0, at), details: { rule, variant } }
}
