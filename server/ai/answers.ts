import { z } from 'zod'
import { AiProviderError } from './ai-errors.ts'

/** The texts of a popup, within `contentLimits`. */
export interface PopupTexts {
  title: string
  description: string
  ctaText: string
}

/** The popup editor's design object: colors and presets. */
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

/** The longest generated texts, in characters. */
export const contentLimits = { title: 60, description: 120, ctaText: 20 } as const

// Providers are told the limits and may exceed them by a word: such a text is shortened. Twice the limit is refused.
const line = (maxLength: number) =>
  z
    .string()
    .max(maxLength * 2)
    .transform((text) => shorten(clean(text), maxLength))
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

/** What a provider writes, by what it is asked for. */
export interface ProviderAnswers {
  content: PopupTexts
  design: PopupDesign
}

/**
 * Reads what a provider wrote: a JSON object with the requested fields, alone, in a code fence or inside a sentence.
 * Other fields are dropped.
 *
 * @throws {AiProviderError} `unreadable`
 */
export function readAnswer<Kind extends keyof ProviderAnswers>(
  kind: Kind,
  text: string | null | undefined,
): ProviderAnswers[Kind] {
  for (const candidate of jsonCandidates(text ?? '')) {
    const parsed = shapes[kind].safeParse(candidate)
    if (parsed.success) return parsed.data as ProviderAnswers[Kind]
  }
  throw new AiProviderError('unreadable', `no ${kind} in the answer`)
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
  return { type: 'string', description: `color as #rrggbb: ${what}` }
}

/** The whole text, then what lies between its first and last brace: models wrap objects in fences and sentences. */
function* jsonCandidates(text: string): Generator<unknown> {
  const whole = parseJson(text)
  if (whole !== undefined) return yield whole
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start >= 0 && start < end) yield parseJson(text.slice(start, end + 1))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One line: without control characters and those that reverse the direction of text. */
export function clean(text: string): string {
  return text
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** At most `maxLength` UTF-16 units, cut between words where one ends in the last third. */
function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const cut = text.slice(0, maxLength)
  const end = cut.search(/\s\S*$/)
  const whole = end > (maxLength * 2) / 3 ? cut.slice(0, end) : cut.replace(/[\ud800-\udbff]$/, '')
  return whole.replace(/[\s,;:–-]+$/, '')
}
