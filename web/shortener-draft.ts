import { readStoredFields, writeStored } from './stored.ts'

const key = 'hoplet.draft'

export interface ShortenerDraft {
  url: string
  code: string
  /** Shorten was pressed by a person who had to sign in first: the link is made once they have. */
  isPending: boolean
}

export const emptyDraft: ShortenerDraft = { url: '', code: '', isPending: false }

/**
 * Input of the shortener, kept so that it survives the way to the sign-in screen and back.
 *
 * @param owner the account on the screen, or null. A draft of an account is never shown to another and goes at sign-out; one
 * that was typed while signed out is for the account that signs in.
 */
export function loadDraft(owner: string | null): ShortenerDraft {
  const { url, code, isPending, owner: typedBy } = readStoredFields('sessionStorage', key)
  if (typeof typedBy === 'string' && typedBy !== owner) {
    writeStored('sessionStorage', key, null)
    return emptyDraft
  }
  return {
    url: typeof url === 'string' ? url : '',
    code: typeof code === 'string' ? code : '',
    isPending: isPending === true,
  }
}

export function saveDraft(draft: ShortenerDraft, owner: string | null): void {
  const isEmpty = draft.url === '' && draft.code === ''
  writeStored('sessionStorage', key, isEmpty ? null : JSON.stringify({ ...draft, owner }))
}
