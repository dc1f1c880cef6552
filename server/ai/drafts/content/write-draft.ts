import { z } from 'zod'
import { contentLimits, type PopupTexts } from '../../answers.ts'
import { phrases, readBlocks } from '../data-file.ts'
import { languageOf } from '../language.ts'
import draftsFile from './drafts.txt?raw'
import { factNames, type Facts, readFacts } from './facts.ts'
import { ownWords } from './own-words.ts'

const slot = /\{(\w+)\}/g

/** Lines of a draft. The last one needs no fact but the season, which the words of its draft then require. */
const linesUpTo = (maxLength: number) =>
  z
    .array(
      z.string().refine((line) => [...slotsOf(line)].every((name) => factNames.includes(name)), {
        error: 'an unknown {fact}',
      }),
    )
    .refine((lines) => /^[^{]+(\{season\}[^{]*)?$/.test(lines.at(-1) ?? ''), {
      error: 'the last line must need no fact',
    })
    .refine((lines) => (lines.at(-1) ?? '').length <= maxLength, { error: 'too long' })

const finishedDraft = z.strictObject({
  words: z.array(
    z
      .string()
      .transform((line) => [line])
      .pipe(phrases),
  ),
  except: phrases.optional(),
  title: linesUpTo(contentLimits.title),
  text: linesUpTo(contentLimits.description),
  button: linesUpTo(contentLimits.ctaText),
})

/** The texts for one purpose. drafts.txt says how to read and change them. */
export type FinishedDraft = z.output<typeof finishedDraft>

export const finishedDrafts = readBlocks(draftsFile, finishedDraft)

/** Writes a popup's text without an AI: a finished draft for what the prompt wants, or the prompt's own words. */
export function writeDraft(prompt: string): PopupTexts {
  const language = languageOf(prompt)
  if (language.code !== 'en') return ownWords(prompt, language)
  const facts = readFacts(prompt)
  // With the facts added, `{saving}` is a phrase like any other.
  const said = [prompt, ...Object.keys(facts).map((name) => `{${name}}`)].join('\n')
  const matching = finishedDrafts.filter(({ words, except }) => {
    const counted = except ? said.replace(except, ' ') : said
    return words.every((pattern) => pattern.test(counted))
  })
  // A stated saving is the point of a popup: '20% off our courses' is an offer before it is a course.
  const draft = (facts.saving && matching.find(tellsSaving)) || matching[0]
  return draft ? fillDraft(draft, facts) : ownWords(prompt, language)
}

/** Puts the facts of a prompt into a draft: of each list the first line that has all its facts and is not too long. */
export function fillDraft(draft: FinishedDraft, facts: Facts): PopupTexts {
  const title = firstThatFits(draft.title, facts, contentLimits.title)
  const told = slotsOf(title.line)
  // A deadline or a code is not said twice, as long as there is something else to say.
  const fresh = draft.text.filter((line) => [...slotsOf(line)].every((name) => !told.has(name)))
  const texts = fresh.length > 0 ? fresh : draft.text
  return {
    title: title.text,
    description: firstThatFits(texts, facts, contentLimits.description).text,
    ctaText: firstThatFits(draft.button, facts, contentLimits.ctaText).text,
  }
}

function tellsSaving({ title, text }: FinishedDraft): boolean {
  return [...title, ...text].some((line) => slotsOf(line).has('saving'))
}

function firstThatFits(lines: readonly string[], facts: Facts, maxLength: number) {
  for (const line of lines) {
    const text = fillLine(line, facts)
    if (text !== undefined && text.length <= maxLength) return { line, text }
  }
  throw new Error(`no line of ${JSON.stringify(lines)} is without facts and short enough`)
}

function fillLine(line: string, facts: Facts): string | undefined {
  const stated: Partial<Record<string, string>> = facts
  if ([...slotsOf(line)].some((name) => stated[name] === undefined)) return undefined
  const text = line.replace(slot, (_slot, name: string) => stated[name] ?? '')
  // 'up to 20% off' and 'summer sale' begin a headline with a capital; a name stays as its owner writes it.
  return line.startsWith('{name}') ? text : text.charAt(0).toUpperCase() + text.slice(1)
}

function slotsOf(line: string): ReadonlySet<string> {
  return new Set([...line.matchAll(slot)].map(([, name = '']) => name))
}
