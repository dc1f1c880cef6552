import type { PopupTexts } from '../../answers.ts'
import { type FinishedDraft, fillDraft, tells } from './draft.ts'
import { invitations } from './draft-invitations.ts'
import { offers } from './draft-offers.ts'
import { readFacts } from './facts.ts'
import { languageOf } from '../language.ts'
import { ownWords } from './own-words.ts'

// Before the offers: 'a newsletter with 10% off' is a newsletter, 'a launch waitlist' a waitlist.
const drafts: readonly FinishedDraft[] = [...invitations, ...offers]

/** Writes a popup's text without an AI: a finished draft for what the prompt wants, or the prompt's own words. */
export function writeDraft(prompt: string): PopupTexts {
  const language = languageOf(prompt)
  if (language !== 'en') return ownWords(prompt, language)
  const facts = readFacts(prompt)
  const matching = drafts.filter(({ words }) => words.test(prompt))
  // A stated saving is the point of a popup: '20% off our courses' is an offer before it is a course.
  const draft = (facts.saving && matching.find((one) => tells(one, 'saving'))) || matching[0]
  return draft ? fillDraft(draft, facts) : ownWords(prompt, language)
}
