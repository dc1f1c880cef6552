import type { ProviderAnswers } from './answers.ts'

/** Hints of an image request besides its prompt: colors of the popup, as #rrggbb, for the picture to go with. */
export interface ImagePalette {
  background: string
  accent: string
}

/** Writes and draws: a configured service, or the drafts made on this server. Calls throw AiProviderError only. */
export interface AiProvider {
  write<Kind extends keyof ProviderAnswers>(
    kind: Kind,
    prompt: string,
    signal: AbortSignal,
  ): Promise<ProviderAnswers[Kind]>
  /** The bytes of an image file, not checked yet; at most 5 MB. */
  draw(prompt: string, palette: ImagePalette | undefined, signal: AbortSignal): Promise<Uint8Array>
}
