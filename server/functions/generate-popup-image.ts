import { z } from 'zod'
import { popupNotices } from '#domain/texts.ts'
import type { FunctionCall } from './call.ts'
import { readBody } from './call.ts'
import { promptOf } from './prompt.ts'

const body = z.object({ prompt: promptOf(popupNotices.imagePromptMissing.title) })

/** `{prompt}` → `{imageUrl}`: an image of ours under /media/. */
export async function generatePopupImage(call: FunctionCall): Promise<Response> {
  const { context, caller, person, request } = call
  const { prompt } = await readBody(request, body)
  call.takeTurn()
  const imageUrl = await context.ai.generateImage(prompt, { person: person.id, log: caller.log })
  return Response.json({ imageUrl }, { headers: { 'Cache-Control': 'no-store' } })
}
