import { z } from 'zod'
import { parseJson } from '../primitives/parse-json.ts'
import { AiProviderError } from './ai-errors.ts'

/** The longest generated texts, in characters. */
export const contentLimits = { title: 60, description: 120, ctaText: 20 } as const

// Providers are told the limits and may exceed them by a word: such a text is shortened. Twice the limit is refused.
const line = (what: string, maxLength: number) =>
  z
    .string()
    .max(maxLength * 2)
    .transform((text) => shorten(clean(text), maxLength))
    .pipe(z.string().min(1))
    .describe(`${what}, at most ${maxLength} characters`)
const hex = (what: string) =>
  z
    .string()
    .regex(/^#[0-9a-f]{6}$/i)
    .toLowerCase()
    .describe(`color as #rrggbb: ${what}`)

/** The popup editor's design object: colors and presets. */
export const designShape = z.object({
  backgroundColor: hex('background'),
  textColor: hex('text, contrast with the background at least 4.5'),
  buttonColor: hex('button'),
  buttonTextColor: hex('text on the button, contrast with it at least 4.5'),
  accentColor: hex('accent'),
  borderRadius: z.number().int().min(0).max(24).describe('pixels, 0 to 24'),
  fontStyle: z.enum(['casual', 'professional', 'modern', 'elegant']),
  shadowStyle: z.enum(['none', 'soft', 'medium', 'bold']),
  size: z.enum(['small', 'medium', 'large']),
})

const shapes = {
  content: z.object({
    title: line('headline', contentLimits.title),
    description: line('text below it', contentLimits.description),
    ctaText: line('button label', contentLimits.ctaText),
  }),
  design: designShape,
  codes: z.object({
    codes: z
      .array(z.string().max(100))
      .min(1)
      .max(12)
      .describe('short codes: 4 to 20 small letters, digits and hyphens'),
  }),
}

/** The texts of a popup, within `contentLimits`. */
export type PopupTexts = z.output<typeof shapes.content>

export type PopupDesign = z.output<typeof shapes.design>

export const designFields = designShape.keyof().options

/** A design, and the fields that the prompt says something about; without them it is about all. */
export type DesignAnswer = PopupDesign & { understood?: (keyof PopupDesign)[] }

/** Schema of a provider's answer, by task. */
export interface ProviderAnswers {
  content: PopupTexts
  design: DesignAnswer
  codes: { codes: string[] }
}

/**
 * Reads a provider's answer: a JSON object with the requested fields, alone, in a code fence or inside a sentence.
 * Other fields are dropped.
 *
 * @throws {AiProviderError} `unreadable`
 */
export function readAnswer<Kind extends keyof ProviderAnswers>(
  kind: Kind,
  text: string | null | undefined,
): ProviderAnswers[Kind] {
  const parsed = shapes[kind].safeParse(parseJson(objectIn(text ?? '')))
  if (parsed.success) return parsed.data as ProviderAnswers[Kind]
  throw new AiProviderError('unreadable', `no ${kind} in the answer`)
}

/** The text between the first and the last brace: models wrap objects in fences and sentences. */
const objectIn = (text: string) => text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)

const limitKeywords = ['minLength', 'maxLength', 'pattern', 'minimum', 'maximum'] as const

/** The shape of an answer as JSON Schema, in the strict form that structured output takes: without any limits. */
export function jsonSchemaOf(kind: keyof ProviderAnswers): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(shapes[kind], {
    override({ jsonSchema }) {
      for (const keyword of limitKeywords) delete jsonSchema[keyword]
    },
  })
  return schema
}

// Words for offers that need an address: newsletters, waiting lists and giveaways too, in the languages of drafts (server/ai/drafts/content/drafts/).
const emailWords =
  /\be-?mails?\b|\binbox\b|e-mail-?adress|\bpostfach\b|\bcorreos?\b|\bcourriel|\bmailadres|\be-posta\b|\bemailad|электронн|\bпочт|メール|メルマガ|ニュースレター|邮箱|邮件|郵件|電郵|信箱|电子报|電子報|通讯|通訊|订阅|訂閱|이메일|뉴스레터|البريد|النشرة|ईमेल|न्यूज़लेटर|newsletter|nieuwsbrief|infolettre|nyhetsbrev|nyhedsbrev|uutiskirje|hírlevél|\bbülten|рассылк|розсилк|ενημερωτικ|дайджест|\bbolet[ií][mn]|biuletyn|wait(?:ing )?list|warteliste|wachtlijst|liste d['’]attente|lista d['’]attesa|lista de espera|list[aęy] oczekuj|giveaway|sweepstake|raffle|gewinnspiel|verlosung|tirage au sort|jeu-concours|\bsorteio|\bsorteo|winactie|\bkonkurs/iu
const ownAddress =
  /\S+@\S+|\be-?mail (?:us|me)\b|\b(?:schreib\p{L}*|mail\p{L}*) (?:sie )?uns\b[^.!?]*|\b(?:no|kein|ohne|sans|sin|senza|sem|geen|bez) newsletter\p{L}*/giu

/** True when a popup's texts ask visitors for their email address, so that it needs the field for it. */
export function asksForEmail({ title, description, ctaText }: PopupTexts): boolean {
  return emailWords.test(`${title}\n${description}\n${ctaText}`.replace(ownAddress, ''))
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
