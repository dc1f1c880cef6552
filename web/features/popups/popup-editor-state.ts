import type { PopupDraft } from '#domain/popup-form.ts'

export type GeneratorKind = 'content' | 'design' | 'image'

/** A popup in the editor, and what each generator replaced in it. */
export interface PopupEditorState {
  readonly draft: PopupDraft
  /** The fields as they were before the last generation of each kind. */
  readonly replaced: Partial<Record<GeneratorKind, Partial<PopupDraft>>>
}

export type PopupEditorAction =
  | { type: 'changed'; part: Partial<PopupDraft> }
  | { type: 'generated'; kind: GeneratorKind; part: Partial<PopupDraft> }
  | { type: 'undone'; kind: GeneratorKind }

export function popupEditorReducer(
  state: PopupEditorState,
  action: PopupEditorAction,
): PopupEditorState {
  const { draft, replaced } = state
  switch (action.type) {
    case 'changed':
      return { draft: { ...draft, ...action.part }, replaced }
    case 'generated': {
      const part = emailPart(action.part, state)
      const before = Object.fromEntries(
        Object.entries(draft).filter(([field]) => Object.hasOwn(part, field)),
      )
      return {
        draft: { ...draft, ...part },
        replaced: { ...replaced, [action.kind]: before },
      }
    }
    case 'undone':
      return {
        draft: { ...draft, ...replaced[action.kind] },
        replaced: { ...replaced, [action.kind]: undefined },
      }
  }
}

/**
 * Generated texts that ask for an email address turn Collect Email on. Others leave it as the person set it, and turn
 * it off only where the texts before them had turned it on.
 */
function emailPart(part: Partial<PopupDraft>, { replaced }: PopupEditorState): Partial<PopupDraft> {
  if (part.collect_email !== false || replaced.content?.collect_email === false) return part
  const { collect_email: _, ...rest } = part
  return rest
}
