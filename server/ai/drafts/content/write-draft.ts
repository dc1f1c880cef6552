import { z } from 'zod'
import { contentLimits, type PopupTexts } from '../../answers.ts'
import { phrases, readBlocks, single } from '../data-file.ts'
import { withoutColorClause } from '../design/design-colors.ts'
import { type Language, languageOf } from '../language.ts'
import { factNames, type Facts, readFacts } from './facts.ts'
import { factsOf, readOwnWords, splitAtColon, textOf } from './own-words.ts'

const slot = /\{(\w+)\}/g

/** Lines of a draft. The last one needs no fact. */
const linesUpTo = (maxLength: number) =>
  z
    .array(
      z.string().refine((line) => slotsOf(line).every((name) => isFact(name)), {
        error: 'an unknown {fact}',
      }),
    )
    .refine((lines) => /^[^{]+$/.test(lines.at(-1) ?? ''), {
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
  own: single.pipe(z.literal('yes')).optional(),
  title: linesUpTo(contentLimits.title),
  text: linesUpTo(contentLimits.description),
  button: linesUpTo(contentLimits.ctaText),
})

/** The texts for one purpose. drafts/en.txt says how to read and change them. */
export type FinishedDraft = z.output<typeof finishedDraft>

const files = import.meta.glob<string>('./drafts/*.txt', {
  query: '?raw',
  import: 'default',
  eager: true,
})

/** By the code of their language. */
export const finishedDrafts: ReadonlyMap<string, readonly FinishedDraft[]> = new Map(
  Object.entries(files).map(([path, text]) => [
    path.slice('./drafts/'.length, -'.txt'.length),
    readBlocks(text, finishedDraft),
  ]),
)

/**
 * Writes a popup's text without an AI: the prompt's own words where they can be a headline, with a finished text and
 * button for the goal of the prompt. Facts that they leave out follow in the words of the prompt.
 */
export function writeDraft(whole: string): PopupTexts {
  const prompt = withoutColorClause(whole)
  const language = languageOf(prompt)
  const facts = readFacts(prompt, language.code)
  const draft = draftFor(prompt, facts, language)
  const finished = draft
    ? fillDraft(draft, facts)
    : { title: language.headline, description: '', ctaText: language.learnMore }
  const own = readOwnWords(prompt, language, draft !== undefined && !draft.own)
  const parts = splitAtColon(own.sentences)
  const headline = parts[0]?.replace(/(?<!\.)[.:]$/, '') ?? ''
  const mayLead = !draft || own.speakToVisitors || (draft.own && !own.describe)
  if (mayLead && headline && headline.length <= contentLimits.title)
    return {
      title: headline,
      description: textOf(parts.slice(1), language) || (draft?.text.at(-1) ?? language.text),
      ctaText: finished.ctaText,
    }
  const stated = [
    ...factsOf(own.sentences.join(' '), language),
    ...(facts.occasion === undefined ? [] : [facts.occasion.toLowerCase()]),
  ]
  const told = `${finished.title} ${finished.description}`.toLowerCase()
  const isComplete = draft && !draft.own && stated.every((fact) => told.includes(fact))
  if (isComplete || own.sentences.length === 0) return finished
  return {
    ...finished,
    title: draft?.title.at(-1) ?? finished.title,
    description: textOf(parts, language),
  }
}

function draftFor(prompt: string, facts: Facts, { code }: Language): FinishedDraft | undefined {
  // With the facts added, `{saving}` is a phrase like any other.
  const said = [prompt, ...Object.keys(facts).map((name) => `{${name}}`)].join('\n')
  return finishedDrafts.get(code)?.find(({ words, except }) => {
    const counted = except ? said.replace(except, ' ') : said
    return words.every((pattern) => pattern.test(counted))
  })
}

/** Puts the facts of a prompt into a draft: of each list the first line that has all its facts and is not too long. */
export function fillDraft({ title, text, button }: FinishedDraft, facts: Facts): PopupTexts {
  return {
    title: firstThatFits(title, facts, contentLimits.title),
    description: firstThatFits(text, facts, contentLimits.description),
    ctaText: firstThatFits(button, facts, contentLimits.ctaText),
  }
}

function firstThatFits(lines: readonly string[], facts: Facts, maxLength: number): string {
  for (const line of lines) {
    const text = fillLine(line, facts)
    if (text !== undefined && text.length <= maxLength) return text
  }
  throw new Error(`no line of ${JSON.stringify(lines)} is without facts and short enough`)
}

function fillLine(line: string, facts: Facts): string | undefined {
  const names = slotsOf(line).filter(isFact)
  if (names.some((name) => facts[name] === undefined)) return undefined
  return names.reduce((text, name) => text.replace(`{${name}}`, () => facts[name] ?? ''), line)
}

function slotsOf(line: string): string[] {
  return [...line.matchAll(slot)].map(([, name = '']) => name)
}

function isFact(name: string): name is keyof Facts {
  return factNames.some((each) => each === name)
}
