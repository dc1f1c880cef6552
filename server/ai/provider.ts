import type { Answers } from './answers.ts'

/** Who writes and draws: a configured service or the built-in generator. Each call throws ProviderError only. */
export interface Provider {
  write<Kind extends keyof Answers>(
    kind: Kind,
    prompt: string,
    signal: AbortSignal,
  ): Promise<Answers[Kind]>
  /** The bytes of an image file, not checked yet; at most 5 MB. */
  draw(prompt: string, signal: AbortSignal): Promise<Uint8Array>
}
