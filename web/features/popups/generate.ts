import { readGeneratedContent, readGeneratedDesign, readImageUrl } from '#domain/popup-generated.ts'
import type { PopupDraft } from '#domain/popup-form.ts'
import { popupNotices, type Notice } from '#domain/texts.ts'
import { functions } from '#web/client.ts'
import { UserFacingError } from './user-facing-error.ts'

/** The parts of a popup that a generator made. */
export type Generated = Partial<PopupDraft>

// Longer than the server gives its provider, twice, so that its own answer comes first.
const textTimeout = 70_000
const imageTimeout = 130_000

export async function generateContent(prompt: string): Promise<Generated> {
  const answer = await invoke(
    'generate-popup-content',
    { prompt, type: 'content' },
    popupNotices.contentFailed,
    textTimeout,
  )
  return readable(readGeneratedContent(contentOf(answer)))
}

export async function generateDesign(prompt: string): Promise<Generated> {
  const answer = await invoke(
    'generate-popup-content',
    { prompt, type: 'design' },
    popupNotices.designFailed,
    textTimeout,
  )
  return readable(readGeneratedDesign(contentOf(answer)))
}

export async function generateImage(prompt: string): Promise<Generated> {
  const answer = await invoke(
    'generate-popup-image',
    { prompt },
    popupNotices.imageFailed,
    imageTimeout,
  )
  const imageUrl = readImageUrl(answer)
  if (imageUrl === null) throw new UserFacingError(popupNotices.imageFailed)
  return { imageUrl }
}

function readable<Part>(part: Part | null): Part {
  if (part === null) throw new UserFacingError(popupNotices.answerUnreadable)
  return part
}

async function invoke(
  name: string,
  body: Record<string, string>,
  failure: Notice,
  timeout: number,
): Promise<unknown> {
  const { data, error } = await functions.invoke<unknown>(name, { body, timeout })
  if (error === null) return data
  const { context } = error as { context?: unknown }
  throw await UserFacingError.reasonOf(failure, context)
}

function contentOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && 'content' in answer
    ? answer.content
    : null
}
