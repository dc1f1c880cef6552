import { z } from 'zod'
import { contentLimits } from '../answers.ts'
import { phrases, readBlocks, single, spaced } from './data-file.ts'
import languagesFile from './languages.txt?raw'

const wordSet = spaced.transform((list): ReadonlySet<string> => new Set(list))
const sentenceStart = phrases.transform(
  ({ source, flags }) => new RegExp(`^${source}[\\s:,]*`, flags),
)

const language = z.strictObject({
  code: single,
  learnMore: single.pipe(z.string().max(contentLimits.ctaText)),
  headline: single.pipe(z.string().max(contentLimits.title)),
  text: single.pipe(z.string().max(contentLimits.description)),
  you: wordSet.optional(),
  verbs: wordSet.optional(),
  orders: sentenceStart.optional(),
  asks: sentenceStart.optional(),
  days: wordSet.optional(),
  places: spaced.transform(placePattern).optional(),
  articles: wordSet.optional(),
  words: wordSet.optional(),
  letters: single.transform((letters) => new RegExp(`[${letters}]`, 'iu')).optional(),
  script: spaced.transform(scriptPattern).optional(),
  things: single.pipe(z.enum(['words', 'characters'])).optional(),
  endings: spaced.optional(),
  compounds: single.pipe(z.literal('yes')).optional(),
})

/** Words and rules of a language for drafts. languages.txt explains the fields. */
export type Language = z.output<typeof language>

export const languages: readonly Language[] = readBlocks(languagesFile, language)

/**
 * The language of a prompt; the first one, English, when nothing tells. A table of words, because the statistics of
 * n-grams fail on prompts of two or three words (docs/decisions/0044).
 */
export function languageOf(prompt: string): Language {
  return languagesOf(prompt)[0]
}

/** The languages that a prompt may be in, as far as frequent words, letters and the script tell. */
export function languagesOf(prompt: string): readonly [Language, ...Language[]] {
  const byScript = languages.find(
    ({ script, letters }) => script?.test(prompt) && letters?.test(prompt) !== false,
  )
  if (byScript) return [byScript]
  const words = prompt.toLowerCase().match(/\p{L}+/gu) ?? []
  const scored = languages.map((each) => ({
    language: each,
    points: words.reduce(
      (sum, word) => sum + (each.words?.has(word) ? 1 : each.days?.has(word) ? 0.5 : 0),
      each.letters?.test(prompt) ? 1.5 : 0,
    ),
  }))
  const most = Math.max(...scored.map(({ points }) => points))
  const [first, ...others] = scored.filter(({ points }) => points === most)
  if (!first) throw new Error('languages.txt is empty')
  return [first.language, ...others.map(({ language }) => language)]
}

/** A name after one of these words, as far as its words begin with a capital: 'in New York'. */
function placePattern(words: readonly string[]): RegExp {
  return new RegExp(
    `(?<!\\p{L})(?:${words.join('|')}) (\\p{Lu}\\p{Ll}+(?: \\p{Lu}\\p{Ll}+)*)`,
    'gu',
  )
}

function scriptPattern(names: readonly string[]): RegExp {
  return new RegExp(names.map((name) => `\\p{Script=${name}}`).join('|'), 'u')
}
