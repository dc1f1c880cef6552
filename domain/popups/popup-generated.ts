import * as z from 'zod/mini'
import { borderRadius, fontStyles, oneOf, type PopupDraft, shadowStyles } from './popup-form.ts'

const words = (maxLength: number) =>
  z.string().check(z.trim(), z.minLength(1), z.maxLength(maxLength))
const hex = z.string().check(z.regex(/^#[0-9a-fA-F]{6}$/), z.toLowerCase())

// Answers name their fields as the specification does; a popup has the names of its columns.

// Fields of the AI content request. A draft in the person's own words may need no description.
const content = z.pipe(
  z.object({
    title: words(60),
    description: z.string().check(z.trim(), z.maxLength(120)),
    ctaText: words(20),
    collectEmail: z._default(z.boolean(), false),
  }),
  z.transform(
    ({ ctaText, collectEmail, ...texts }) =>
      ({ ...texts, cta_text: ctaText, collect_email: collectEmail }) satisfies Partial<PopupDraft>,
  ),
)

/** The fields of the popup editor's design object, and their names in a popup, which has no accent color. */
const columnOf = {
  backgroundColor: 'background_color',
  textColor: 'text_color',
  buttonColor: 'button_color',
  buttonTextColor: 'button_text_color',
  borderRadius: 'border_radius',
  fontStyle: 'font_style',
  shadowStyle: 'shadow_style',
  size: 'size_preset',
} as const satisfies Record<string, keyof PopupDraft>

type Look = Partial<Pick<PopupDraft, (typeof columnOf)[keyof typeof columnOf]>>

const design = z.pipe(
  z.object({
    backgroundColor: hex,
    textColor: hex,
    buttonColor: hex,
    buttonTextColor: hex,
    accentColor: hex,
    borderRadius,
    fontStyle: oneOf(fontStyles),
    shadowStyle: oneOf(shadowStyles),
    size: z.enum(['small', 'medium', 'large']),
    mended: z._default(z.array(z.enum(['textColor', 'buttonTextColor'])), []),
    // The fields that the prompt says something about. Servers before it said something about all.
    understood: z.optional(z.array(z.string())),
  }),
  z.transform(({ mended, understood, ...answer }) => {
    const isUnderstood = (field: string) => understood?.includes(field) ?? true
    const look: Look = Object.fromEntries(
      Object.entries(columnOf)
        .filter(([field]) => isUnderstood(field))
        .map(([field, column]) => [column, answer[field as keyof typeof columnOf]]),
    )
    return { look, mended: mended.filter(isUnderstood) }
  }),
)

const image = z.object({
  imageUrl: z.string().check(z.regex(/^\/media\/[A-Za-z0-9_-]{1,128}\.(webp|png|jpe?g)$/)),
})

/** The generated texts, and whether they ask visitors for their email address. */
export type GeneratedContent = z.infer<typeof content>

/** The generated look, as far as the prompt says something about it, and which of its colors the server changed because they could not be read. */
export type GeneratedDesign = z.infer<typeof design>

export type MendedColor = GeneratedDesign['mended'][number]

/** Reads the text that a content request is answered with. Null unless it holds texts within the limits. */
export function readGeneratedContent(answer: unknown): GeneratedContent | null {
  return content.safeParse(jsonObjectIn(answer)).data ?? null
}

/** Reads the text that a design request is answered with. */
export function readGeneratedDesign(answer: unknown): GeneratedDesign | null {
  return design.safeParse(jsonObjectIn(answer)).data ?? null
}

/** The path of a generated or uploaded image, which is always on this server; else null. */
export function readImageUrl(answer: unknown): string | null {
  return image.safeParse(answer).data?.imageUrl ?? null
}

const aiStatus = z.object({ text: z.boolean(), image: z.boolean() })

/** Tasks of a connected AI; the rest is drafted on the server. */
export type AiStatus = z.infer<typeof aiStatus>

/** Reads the answer of ai-status; null when it is none. */
export function readAiStatus(answer: unknown): AiStatus | null {
  return aiStatus.safeParse(answer).data ?? null
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
