import type { AiProvider } from '../ai-provider.ts'
import type { ProviderAnswers } from '../answers.ts'
import { draftDesign } from './design/draft-design.ts'
import { draftImage } from './image/draft-image.ts'
import { writeDraft } from './content/write-draft.ts'

const writers: { [Kind in keyof ProviderAnswers]: (prompt: string) => ProviderAnswers[Kind] } = {
  content: writeDraft,
  design: draftDesign,
  // Ideas without an AI are better ones (domain/links/suggest-codes.ts).
  codes: () => ({ codes: [] }),
}

/** Makes drafts where no AI is connected: finished texts, named colors and open illustrations; no network. */
export const draftsProvider: AiProvider = {
  async write(kind, prompt) {
    return writers[kind](prompt)
  },
  draw: (prompt, palette) => draftImage(prompt, palette, Math.random),
}
