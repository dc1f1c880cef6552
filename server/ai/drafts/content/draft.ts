import { contentLimits, type PopupTexts } from '../../answers.ts'
import type { Facts } from './facts.ts'

/** Texts for one purpose. `{fact}` is a fact of the prompt; the last line of each list needs none. */
export interface FinishedDraft {
  /** What a prompt for this purpose says. */
  words: RegExp
  title: readonly string[]
  description: readonly string[]
  button: readonly string[]
}

/** Puts the facts of a prompt into a draft: of each list the first line that has all its facts and is not too long. */
export function fillDraft(draft: FinishedDraft, facts: Facts): PopupTexts {
  const title = firstThatFits(draft.title, facts, contentLimits.title)
  const told = slotsOf(title.line)
  // A deadline or a code is not said twice, as long as there is something else to say.
  const fresh = draft.description.filter((line) =>
    [...slotsOf(line)].every((slot) => !told.has(slot)),
  )
  return {
    title: title.text,
    description: firstThatFits(
      fresh.length > 0 ? fresh : draft.description,
      facts,
      contentLimits.description,
    ).text,
    ctaText: firstThatFits(draft.button, facts, contentLimits.ctaText).text,
  }
}

/** True when some line of the draft repeats that fact. */
export function tells(draft: FinishedDraft, fact: keyof Facts): boolean {
  return [...draft.title, ...draft.description].some((line) => slotsOf(line).has(fact))
}

function firstThatFits(
  lines: readonly string[],
  facts: Facts,
  maxLength: number,
): { line: string; text: string } {
  for (const line of lines) {
    const text = fillLine(line, facts)
    if (text !== undefined && text.length <= maxLength) return { line, text }
  }
  throw new Error(`no line of ${JSON.stringify(lines)} is without facts and short enough`)
}

function fillLine(line: string, facts: Facts): string | undefined {
  let isComplete = true
  const text = line.replace(/\{(\w+)\}/g, (_slot, name: string) => {
    const fact = facts[name as keyof Facts]
    if (fact === undefined) isComplete = false
    return fact ?? ''
  })
  if (!isComplete) return undefined
  // 'up to 20% off' and 'summer sale' begin a headline with a capital; a name stays as its owner writes it.
  return line.startsWith('{name}') ? text : text.charAt(0).toUpperCase() + text.slice(1)
}

function slotsOf(line: string): ReadonlySet<string> {
  return new Set([...line.matchAll(/\{(\w+)\}/g)].map(([, slot]) => slot ?? ''))
}
