import type { ChosenRule } from '#domain/visits/choose-rule.ts'

/** Rule and variant that decided a visit; '' without one. */
export interface RuleNote {
  rule: string
  variant: string
}

/** No header of a visitor has this character: recorded texts are printable ASCII. */
const separator = '\n'
const written = /^([\w-]{1,40}) ([\w-]{0,40})$/
const none: RuleNote = { rule: '', variant: '' }

/** The query of a visit with the note after it, as a record of the journal has it. Ids are letters, digits, `_` and `-` (parse-rules.ts). */
export function writeRuleNote(query: string, chosen: ChosenRule | undefined): string {
  if (chosen === undefined) return query
  return `${query}${separator}${chosen.rule.id} ${chosen.variant?.id ?? ''}`
}

/** Splits a text that {@link writeRuleNote} wrote. */
export function readRuleNote(text: string): { query: string; note: RuleNote } {
  const at = text.indexOf(separator)
  const [, rule, variant = ''] = at === -1 ? [] : (written.exec(text.slice(at + 1)) ?? [])
  return rule === undefined
    ? { query: text, note: none }
    : { query: text.slice(0, at), note: { rule, variant } }
}
