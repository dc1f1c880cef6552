import type { ChosenRule } from '#domain/visits/choose-rule.ts'
import type { Visitor } from '../visitor/visitor-facts.ts'

/** The record of a visitor with the rule and the variant that decided, if one did. */
export function withRule(visitor: Visitor, chosen: ChosenRule | undefined): Visitor {
  if (chosen === undefined) return visitor
  const { rule, variant } = chosen
  return { ...visitor, details: { rule: rule.id, ...(variant && { variant: variant.id }) } }
}
