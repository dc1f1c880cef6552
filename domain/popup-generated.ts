import * as z from 'zod/mini'
import type { PopupDraft } from './popup-form.ts'

const words = (longest: number) => z.string().check(z.trim(), z.minLength(1), z.maxLength(longest))
const hex = z.string().check(z.regex(/^#[0-9a-fA-F]{6}$/), z.toLowerCase())

// What the AI content request asks for (specification §5).
const content = z.object({ title: words(60), description: words(120), ctaText: words(20) })

// The editor's design object (specification §3).
const design = z.object({
  backgroundColor: hex,
  textColor: hex,
  buttonColor: hex,
  buttonTextColor: hex,
  accentColor: hex,
  borderRadius: z.int().check(z.minimum(0), z.maximum(24)),
  fontStyle: z.enum(['casual', 'professional', 'modern', 'elegant']),
  shadowStyle: z.enum(['none', 'soft', 'medium', 'bold']),
  size: z.enum(['small', 'medium', 'large']),
})

const image = z.object({
  imageUrl: z.string().check(z.regex(/^\/media\/[A-Za-z0-9_-]{1,128}\.(webp|png|jpe?g)$/)),
})

/**
 * Reads the text that an AI answered a content request with: only title, description and button text get through,
 * whatever else it says. Null if they aren't there within 60, 120 and 20 characters.
 */
export function readGeneratedContent(
  answer: unknown,
): Pick<PopupDraft, 'title' | 'description' | 'ctaText'> | null {
  return content.safeParse(jsonObjectIn(answer)).data ?? null
}

/** The same for a design request; the accent color is the generator's own and no part of a popup. */
export function readGeneratedDesign(
  answer: unknown,
): Pick<
  PopupDraft,
  | 'backgroundColor'
  | 'textColor'
  | 'buttonColor'
  | 'buttonTextColor'
  | 'borderRadius'
  | 'fontStyle'
  | 'shadowStyle'
  | 'size'
> | null {
  const parsed = design.safeParse(jsonObjectIn(answer)).data
  if (parsed === undefined) return null
  const { accentColor: _, ...rest } = parsed
  return rest
}

/** The address of a generated or uploaded picture, which is always one of our own; else null. */
export function readImageUrl(answer: unknown): string | null {
  return image.safeParse(answer).data?.imageUrl ?? null
}

// Language models like to wrap the object in a sentence or a fence.
function jsonObjectIn(answer: unknown): unknown {
  if (typeof answer !== 'string' || answer.length > 20_000) return null
  const start = answer.indexOf('{')
  const end = answer.lastIndexOf('}')
  if (start < 0 || end < start) return null
  try {
    return JSON.parse(answer.slice(start, end + 1)) as unknown
  } catch {
    return null
  }
}
