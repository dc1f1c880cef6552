import { z } from 'zod'
import { popupNotices } from '#domain/texts.ts'
import type { FunctionCall } from './call.ts'
import { readBody } from './call.ts'
import { promptOf } from './prompt.ts'

const body = z.discriminatedUnion(
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
)

/** `{prompt, type: content | design}` → `{content}`: the text of a JSON object (domain/popup-generated.ts reads it). */
export async function generatePopupContent(call: FunctionCall): Promise<Response> {
  const { context, caller, person, request } = call
  const { type, prompt } = await readBody(request, body)
  call.takeTurn()
  const answer = await context.ai.generate(type, prompt, { person: person.id, log: caller.log })
  return Response.json(
    { content: JSON.stringify(answer) },
    { headers: { 'Cache-Control': 'no-store' } },
  )
}
