import { z } from 'zod'
import { popupLimits } from '#domain/popup-options.ts'
import { popupFieldMessages } from '#domain/texts.ts'

/** What a person asks for: at most 1,000 characters. `missing` is what an empty one is answered with (specification §5). */
export function promptOf(missing: string) {
  return z
    .string(missing)
    .trim()
    .min(1, missing)
    .max(popupLimits.prompt, popupFieldMessages.promptLength)
}
