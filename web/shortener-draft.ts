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
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? '{}')
    const { url, code, isPending, owner: typedBy } = Object(stored) as Record<string, unknown>
    if (typeof typedBy === 'string' && typedBy !== owner) {
      sessionStorage.removeItem(key)
      return emptyDraft
    }
    return {
      url: typeof url === 'string' ? url : '',
      code: typeof code === 'string' ? code : '',
      isPending: isPending === true,
    }
  } catch {
    return emptyDraft
  }
}

export function saveDraft(draft: ShortenerDraft, owner: string | null): void {
  try {
    if (draft.url === '' && draft.code === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify({ ...draft, owner }))
  } catch {
    // Storage can be forbidden; then the draft lasts as long as the screen.
  }
}
