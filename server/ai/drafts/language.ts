import { z } from 'zod'
import { contentLimits } from '../answers.ts'
import { readBlocks, single, spaced } from './data-file.ts'
import languagesFile from './languages.txt?raw'

const language = z.strictObject({
  code: single,
  learnMore: single.pipe(z.string().max(contentLimits.ctaText)),
  words: spaced.transform((list) => new Set(list)).optional(),
  letters: single.transform((letters) => new RegExp(`[${letters}]`, 'iu')).optional(),
  script: spaced.transform(scriptPattern).optional(),
  things: single.pipe(z.enum(['words', 'characters'])).optional(),
  endings: spaced.optional(),
  compounds: single.pipe(z.literal('yes')).optional(),
})

/** What drafts know of a language. languages.txt explains the fields. */
export type Language = z.output<typeof language>

export const languages: readonly Language[] = readBlocks(languagesFile, language)

/**
 * The language of a prompt; the first one, English, when nothing tells. A table of words, because the statistics of
 * n-grams fail on prompts of two or three words (docs/decisions/0044).
 */
export function languageOf(prompt: string): Language {
  const byScript = languages.find(
    ({ script, letters }) => script?.test(prompt) && letters?.test(prompt) !== false,
  )
  if (byScript) return byScript
  const said = prompt.toLowerCase().match(/\p{L}+/gu) ?? []
  const scored = languages.map((each) => ({
    language: each,
    points:
      said.filter((word) => each.words?.has(word)).length + (each.letters?.test(prompt) ? 1.5 : 0),
  }))
  return scored.reduce((best, each) => (each.points > best.points ? each : best)).language
}

function scriptPattern(names: readonly string[]): RegExp {
  return new RegExp(names.map((name) => `\\p{Script=${name}}`).join('|'), 'u')
}
