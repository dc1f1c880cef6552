import { z } from 'zod'
import { popupLimits } from '#domain/popup-form.ts'
import { popupFieldMessages, popupNotices } from '#domain/texts.ts'
import { jsonBody } from '../http/guards.ts'

/** The token says whose checkout it is; other fields are ignored. */
export const checkoutBody = jsonBody(z.object({ priceId: z.string('priceId is missing').max(255) }))

/** @param missing the answer to an empty prompt */
function promptOf(missing: { title: string }) {
  return z
    .string(missing.title)
    .trim()
    .min(1, missing.title)
    .max(popupLimits.prompt, popupFieldMessages.promptLength)
}

export const contentBody = jsonBody(
  z.discriminatedUnion(
    'type',
    [
      z.object({ type: z.literal('content'), prompt: promptOf(popupNotices.contentPromptMissing) }),
      z.object({ type: z.literal('design'), prompt: promptOf(popupNotices.designPromptMissing) }),
    ],
    "type must be 'content' or 'design'",
  ),
)

const color = z.string().regex(/^#[0-9a-f]{6}$/i, 'a color must look like #1a2b3c')

export const imageBody = jsonBody(
  z.object({
    prompt: promptOf(popupNotices.imagePromptMissing),
    /** The popup's, for the image to match. */
    palette: z.object({ background: color, accent: color }).optional(),
  }),
)
