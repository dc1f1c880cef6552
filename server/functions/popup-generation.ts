import { z } from 'zod'
import { popupLimits } from '#domain/popup-form.ts'
import { popupFieldMessages, popupNotices } from '#domain/texts.ts'
import { jsonBody } from '../http/guards.ts'
import type { Added } from '../http/router.ts'
import { noStore, type PersonFunctionCall } from './call.ts'

/** @param missing the answer to an empty prompt */
function promptOf(missing: string) {
  return z
    .string(missing)
    .trim()
    .min(1, missing)
    .max(popupLimits.prompt, popupFieldMessages.promptLength)
}

export const contentBody = jsonBody(
  z.discriminatedUnion(
    'type',
    [
      z.object({
        type: z.literal('content'),
        prompt: promptOf(popupNotices.contentPromptMissing.title),
      }),
      z.object({
        type: z.literal('design'),
        prompt: promptOf(popupNotices.designPromptMissing.title),
      }),
    ],
    "type must be 'content' or 'design'",
  ),
)

/** `{prompt, type: 'content' | 'design'}` → `{content}`, the text of a JSON object (read by domain/popup-generated.ts). */
export async function generatePopupContent({
  deps,
  info,
  person,
  body: { type, prompt },
}: PersonFunctionCall & Added<typeof contentBody>): Promise<Response> {
  const request = { userId: person.id, log: info.log }
  const answer =
    type === 'content'
      ? await deps.ai.generateContent(prompt, request)
      : await deps.ai.generateDesign(prompt, request)
  return Response.json({ content: JSON.stringify(answer) }, noStore)
}

const color = z.string().regex(/^#[0-9a-f]{6}$/i, 'a color must look like #1a2b3c')

export const imageBody = jsonBody(
  z.object({
    prompt: promptOf(popupNotices.imagePromptMissing.title),
    palette: z.object({ background: color, accent: color }).optional(),
  }),
)

/** `{prompt, palette?}` → `{imageUrl}`, a path under /media/. The palette is the popup's, for the image to match. */
export async function generatePopupImage({
  deps,
  info,
  person,
  body: { prompt, palette },
}: PersonFunctionCall & Added<typeof imageBody>): Promise<Response> {
  const request = { userId: person.id, log: info.log }
  const imageUrl = await deps.ai.generateImage(prompt, palette, request)
  return Response.json({ imageUrl }, noStore)
}

/** `{}` → `{text, image}`: true where an AI is connected; the server drafts the rest. */
export async function aiStatus({ deps }: PersonFunctionCall): Promise<Response> {
  return Response.json(deps.ai.connected, noStore)
}
