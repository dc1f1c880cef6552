import { useState } from 'react'
import type { PopupDraft } from '#domain/popups/popup-form.ts'
import type { Notice } from '#domain/texts/texts.ts'
import { isMade } from './generate.ts'
import type { Generator } from './generator-card.tsx'
import { contentGenerator, designGenerator, imageGenerator } from './generators.ts'
import type { GeneratorKind } from './popup-editor-state.ts'
import { noticeOf } from '#web/api/user-facing-error.ts'

export type PartState =
  | { status: 'working' }
  /** kept: nothing was made, and the popup is unchanged. */
  | { status: 'done' | 'kept'; notes: readonly string[] }
  | { status: 'failed'; notice: Notice }

interface OfferRun {
  prompt: string
  /** The current popup, for the colors of the picture. */
  draft: PopupDraft
  kinds: readonly GeneratorKind[]
  /** Another try of a part: undone together with the parts before it. */
  isRetry?: boolean
}

/** Has the server make several parts of a popup from one description. Each part comes, or fails, on its own. */
export function useOffer(onPart: (part: Partial<PopupDraft>, continued: boolean) => void) {
  const [parts, setParts] = useState<Partial<Record<GeneratorKind, PartState>>>({})

  /** @returns whether any part was made */
  async function run({ prompt, draft, kinds, isRetry = false }: OfferRun): Promise<boolean> {
    let continued = isRetry
    let isAnyMade = false
    let latest = draft
    const make = async ({ kind, generate, failed }: Generator): Promise<void> => {
      if (!kinds.includes(kind)) return
      try {
        const generated = await generate(prompt, latest)
        const { part, notes } = generated
        if (isMade(generated)) {
          latest = { ...latest, ...part }
          onPart(part, continued)
          continued = true
          isAnyMade = true
        }
        set(kind, { status: isMade(generated) ? 'done' : 'kept', notes })
      } catch (error) {
        set(kind, { status: 'failed', notice: noticeOf(error, failed) })
      }
    }
    const set = (kind: GeneratorKind, state: PartState) =>
      setParts((before) => ({ ...before, [kind]: state }))
    for (const kind of kinds) set(kind, { status: 'working' })
    // The picture comes after the look, so that it has its colors.
    const look = make(designGenerator).then(() => make(imageGenerator))
    await Promise.all([make(contentGenerator), look])
    return isAnyMade
  }

  return { parts, run, forget: () => setParts({}) }
}
