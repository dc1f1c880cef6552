import { z } from 'zod'
import { ProviderError } from './errors.ts'

/** What a content request answers with; the lengths are those of specification §5. */
export interface PopupContent {
  title: string
  description: string
  ctaText: string
}

/** The editor's design object (specification §3). */
export interface PopupDesign {
  backgroundColor: string
  textColor: string
  buttonColor: string
  buttonTextColor: string
  accentColor: string
  borderRadius: number
  fontStyle: 'casual' | 'professional' | 'modern' | 'elegant'
  shadowStyle: 'none' | 'soft' | 'medium' | 'bold'
  size: 'small' | 'medium' | 'large'
}

export const contentLimits = { title: 60, description: 120, ctaText: 20 } as const

// Providers are told the limits, and some run over them by a word: that is shortened. Twice as long is no answer.
const line = (most: number) =>
  z
    .string()
    .max(most * 2)
    .transform((text) => shorten(clean(text), most))
    .pipe(z.string().min(1))
const hex = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i)
  .toLowerCase()

const shapes = {
  content: z.object({
    title: line(contentLimits.title),
    description: line(contentLimits.description),
    ctaText: line(contentLimits.ctaText),
  }),
  design: z.object({
    backgroundColor: hex,
    textColor: hex,
    buttonColor: hex,
    buttonTextColor: hex,
    accentColor: hex,
    borderRadius: z.number().int().min(0).max(24),
    fontStyle: z.enum(['casual', 'professional', 'modern', 'elegant']),
    shadowStyle: z.enum(['none', 'soft', 'medium', 'bold']),
    size: z.enum(['small', 'medium', 'large']),
  }),
}

export interface Answers {
  content: PopupContent
  design: PopupDesign
}

/**
 * Reads what a provider wrote: one JSON object with the fields that were asked for. Whatever else it holds is dropped.
 *
 * @throws {ProviderError} `unreadable`
 */
export function readAnswer<Kind extends keyof Answers>(
  kind: Kind,
  text: string | null | undefined,
): Answers[Kind] {
  const parsed = shapes[kind].safeParse(parse(text ?? ''))
  if (!parsed.success) throw new ProviderError('unreadable', `no ${kind} in the answer`)
  return parsed.data as Answers[Kind]
}

/** The same shapes as JSON Schema, in the strict form that structured output takes. */
export const jsonSchemas = {
  content: objectOf({
    title: { type: 'string', description: `headline, at most ${contentLimits.title} characters` },
    description: { type: 'string', description: `at most ${contentLimits.description} characters` },
    ctaText: {
      type: 'string',
      description: `button label, at most ${contentLimits.ctaText} characters`,
    },
  }),
  design: objectOf({
    backgroundColor: hexOf('background'),
    textColor: hexOf('text, contrast with the background at least 4.5'),
    buttonColor: hexOf('button'),
    buttonTextColor: hexOf('text on the button, contrast with it at least 4.5'),
    accentColor: hexOf('accent'),
    borderRadius: { type: 'integer', description: 'pixels, 0 to 24' },
    fontStyle: { type: 'string', enum: ['casual', 'professional', 'modern', 'elegant'] },
    shadowStyle: { type: 'string', enum: ['none', 'soft', 'medium', 'bold'] },
    size: { type: 'string', enum: ['small', 'medium', 'large'] },
  }),
} as const

function objectOf(properties: Record<string, object>): Record<string, unknown> {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }
}

function hexOf(what: string): object {
  return { type: 'string', description: `colour as #rrggbb: ${what}` }
}

// Some models put their object into a code fence, even when they are told not to.
function parse(text: string): unknown {
  const body = /^\s*```(?:json)?\s*([\s\S]*?)\s*```\s*$/.exec(text)?.[1] ?? text
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

// Control characters and those that turn the direction of text have no place in a line of copy.
function clean(text: string): string {
  return text
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** At most `most` UTF-16 units, cut at a word where one ends in the last third. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = text.slice(0, most)
  const end = cut.search(/\s\S*$/)
  const whole = end > (most * 2) / 3 ? cut.slice(0, end) : cut.replace(/[\ud800-\udbff]$/, '')
  return whole.replace(/[\s,;:–-]+$/, '')
}
