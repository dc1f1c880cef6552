import { z } from 'zod'
import { popupLimits } from '#domain/popup-options.ts'
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

/** `{prompt, type: content | design}` → `{content}`: the text of a JSON object (domain/popup-generated.ts reads it). */
export async function generatePopupContent({
  deps,
  info,
  person,
  body: { type, prompt },
}: PersonFunctionCall & Added<typeof contentBody>): Promise<Response> {
  const answer = await deps.ai.generate(type, prompt, { person: person.id, log: info.log })
  return Response.json({ content: JSON.stringify(answer) }, noStore)
}

export const imageBody = jsonBody(
  z.object({ prompt: promptOf(popupNotices.imagePromptMissing.title) }),
)

/** `{prompt}` → `{imageUrl}`: an image of ours under /media/. */
export async function generatePopupImage({
  deps,
  info,
  person,
  body,
}: PersonFunctionCall & Added<typeof imageBody>): Promise<Response> {
  const imageUrl = await deps.ai.generateImage(body.prompt, { person: person.id, log: info.log })
  return Response.json({ imageUrl }, noStore)
}
