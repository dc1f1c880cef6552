import { normalHex } from '#domain/colors.ts'
import {
  readAiStatus,
  readGeneratedContent,
  readGeneratedDesign,
  readImageUrl,
} from '#domain/popups/popup-generated.ts'
import { newPopup, type PopupDraft } from '#domain/popups/popup-form.ts'
import { generatorNotes, popupNotices } from '#domain/texts/popup-texts.ts'
import type { Notice } from '#domain/texts/texts.ts'
import { functions } from '#web/api/client.ts'
import { UserFacingError } from '#web/api/user-facing-error.ts'

/** The part of a popup that a generator made, without fields if nothing, and notes for the person. */
export interface Generated {
  part: Partial<PopupDraft>
  notes: readonly string[]
}

// Longer than the server waits for its provider, so that the server's own error comes first.
const textTimeoutMs = 70_000
const imageTimeoutMs = 130_000

export async function generateContent(prompt: string): Promise<Generated> {
  const answer = await invoke(
    'generate-popup-content',
    { prompt, type: 'content' },
    popupNotices.contentFailed,
    textTimeoutMs,
  )
  const part = readable(readGeneratedContent(contentOf(answer)))
  return { part, notes: part.collect_email ? [generatorNotes.collectsEmail] : [] }
}

export async function generateDesign(prompt: string): Promise<Generated> {
  const answer = await invoke(
    'generate-popup-content',
    { prompt, type: 'design' },
    popupNotices.designFailed,
    textTimeoutMs,
  )
  const { look, mended } = readable(readGeneratedDesign(contentOf(answer)))
  const made = { part: look, notes: mended.map((color) => generatorNotes.mended[color]) }
  return isMade(made) ? made : { part: {}, notes: [generatorNotes.noLook] }
}

export async function generateImage(prompt: string, draft: PopupDraft): Promise<Generated> {
  const answer = await invoke(
    'generate-popup-image',
    { prompt, palette: paletteOf(draft) },
    popupNotices.imageFailed,
    imageTimeoutMs,
  )
  const image_url = readImageUrl(answer)
  if (image_url === null) throw new UserFacingError(popupNotices.imageFailed)
  return { part: { image_url }, notes: [] }
}

export function isMade({ part }: Generated): boolean {
  return Object.keys(part).length > 0
}

/** Which generators are served by an AI; null when the server does not say. */
export async function fetchAiStatus({ signal }: { signal: AbortSignal }) {
  const { data } = await functions.invoke<unknown>('ai-status', { body: {}, signal })
  return readAiStatus(data)
}

/** The colors of a popup that has its own, for its image to match. */
function paletteOf({ background_color, button_color }: PopupDraft) {
  const [background, accent] = [normalHex(background_color), normalHex(button_color)]
  if (background === null || accent === null) return undefined
  const isDefault = background === newPopup.background_color && accent === newPopup.button_color
  return isDefault ? undefined : { background, accent }
}

function readable<Part>(part: Part | null): Part {
  if (part === null) throw new UserFacingError(popupNotices.answerUnreadable)
  return part
}

async function invoke(
  name: string,
  body: Record<string, unknown>,
  failure: Notice,
  timeoutMs: number,
): Promise<unknown> {
  const { data, error } = await functions.invoke<unknown>(name, { body, timeout: timeoutMs })
  if (error === null) return data
  const { context } = error as { context?: unknown }
  throw await UserFacingError.reasonOf(failure, context)
}

function contentOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && 'content' in answer
    ? answer.content
    : null
}
