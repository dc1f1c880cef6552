import type { PopupDraft } from '#domain/popups/popup-form.ts'

export type GeneratorKind = 'content' | 'design' | 'image'

/** Fills in several fields at once, with Undo: a generator, one offer for all of them, a template, the bio page. */
type Filler = GeneratorKind | 'offer' | 'template' | 'page'

/** A popup in the editor, and the fields that each filler replaced in it. */
export interface PopupEditorState {
  readonly draft: PopupDraft
  /** The fields as they were before the last use of each filler. */
  readonly replaced: Partial<Record<Filler, Partial<PopupDraft>>>
}

export type PopupEditorAction =
  | { type: 'changed'; part: Partial<PopupDraft> }
  /** `continued`: a further part of the same press, undone together with the parts before it. */
  | { type: 'filled'; by: Filler; part: Partial<PopupDraft>; continued?: boolean }
  | { type: 'undone'; by: Filler }
  /** A stored version takes the place of the draft. */
  | { type: 'loaded'; draft: PopupDraft }

export function popupEditorReducer(
  state: PopupEditorState,
  action: PopupEditorAction,
): PopupEditorState {
  const { draft, replaced } = state
  switch (action.type) {
    case 'changed':
      return { draft: { ...draft, ...action.part }, replaced }
    case 'filled': {
      const part = emailPart(action, state)
      const before = Object.fromEntries(
        Object.entries(draft).filter(([field]) => Object.hasOwn(part, field)),
      )
      const earlier = action.continued === true ? replaced[action.by] : undefined
      return {
        draft: { ...draft, ...part },
        replaced: { ...replaced, [action.by]: { ...before, ...earlier } },
      }
    }
    case 'undone':
      return {
        draft: { ...draft, ...replaced[action.by] },
        replaced: { ...replaced, [action.by]: undefined },
      }
    case 'loaded':
      return { draft: action.draft, replaced: {} }
  }
}

/**
 * Generated texts that ask for an email address turn Collect Email on. Others leave it as the person set it, and turn
 * it off only where texts before them had turned it on. A template says itself whether it asks.
 */
function emailPart(
  { part, by }: { part: Partial<PopupDraft>; by: Filler },
  { replaced }: PopupEditorState,
): Partial<PopupDraft> {
  const wasTurnedOn = Object.values(replaced).some((before) => before?.collect_email === false)
  if (by === 'template' || part.collect_email !== false || wasTurnedOn) return part
  const { collect_email: _, ...rest } = part
  return rest
}
