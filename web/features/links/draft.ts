const key = 'hoplet.draft'

export interface Draft {
  url: string
  code: string
}

/** What was typed into the shortener, so that it survives the way to the sign-in screen and back. */
export function loadDraft(): Draft {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? '{}')
    const { url, code } = stored as Partial<Record<keyof Draft, unknown>>
    return {
      url: typeof url === 'string' ? url : '',
      code: typeof code === 'string' ? code : '',
    }
  } catch {
    return { url: '', code: '' }
  }
}

export function saveDraft(draft: Draft): void {
  try {
    if (draft.url === '' && draft.code === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // Storage can be forbidden; then the draft lasts as long as the screen.
  }
}
