import { contentLimits, type PopupContent, shorten } from '../answers.ts'
import { type Brief, capitalised, readPrompt } from './brief.ts'
import { phrases } from './phrases.ts'

/** A number from 0 up to but not including 1. */
export type Random = () => number

/** Writes a popup's text in the prompt's own words, within the limits; another one each time. */
export function writeCopy(prompt: string, random: Random): PopupContent {
  const brief = readPrompt(prompt)
  const { titles, descriptions, buttons } = phrases[brief.intent]
  const title = choose(titles, brief, contentLimits.title, random)
  const told = gapsOf(title.phrase)
  return {
    title: title.text,
    description: choose(descriptions, brief, contentLimits.description, random, told).text,
    ctaText: choose(buttons, brief, contentLimits.ctaText, random).text,
  }
}

/** One of the phrases that can be filled and fits; those that tell more of the prompt, and what is not told yet, come first. */
function choose(
  all: readonly string[],
  brief: Brief,
  most: number,
  random: Random,
  told: readonly string[] = [],
): { phrase: string; text: string } {
  const usable = all.flatMap((phrase) => {
    const text = fill(phrase, brief)
    if (text === undefined || text.length > most) return []
    const gaps = gapsOf(phrase)
    const news = gaps.filter((gap) => !told.includes(gap) || isSubject(gap))
    const weight = news.reduce((sum, gap) => sum + (weights[gap] ?? 0.6), 0)
    return [{ phrase, text, weight: weight + random() * 1.2 }]
  })
  const best = usable.sort((a, b) => b.weight - a.weight)[0]
  const phrase = all.at(-1) ?? ''
  return best ?? { phrase, text: shorten(phrase, most) }
}

// A code that is not told is of no use to anybody.
const weights: Record<string, number> = { s: 1, S: 1, n: 1, c: 2.5 }

function isSubject(gap: string): boolean {
  return gap === 's' || gap === 'S' || gap === 'n'
}

function gapsOf(phrase: string): string[] {
  return [...phrase.matchAll(/\{(\w)\}/g)].map((match) => match[1] ?? '')
}

function fill(phrase: string, brief: Brief): string | undefined {
  const values: Record<string, string | undefined> = {
    s: brief.subject,
    n: brief.noun,
    S: brief.subject && capitalised(brief.subject),
    p: brief.percent,
    m: brief.amount,
    c: brief.code,
    d: brief.deadline,
    a: brief.audience,
  }
  let complete = true
  const text = phrase.replace(/\{(\w)\}/g, (_gap, name: string) => {
    const value = values[name]
    if (value === undefined) complete = false
    return value ?? ''
  })
  return complete ? capitalised(text) : undefined
}
