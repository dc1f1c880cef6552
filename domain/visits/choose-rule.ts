import { firstUnmet } from './conditions.ts'
import type { AppAddresses, LinkRule, LinkRules, SplitVariant } from './rules.ts'
import { type RuleFacts, VisitReading } from './reading/visit-reading.ts'

/** The rule that decides a visit. */
export interface ChosenRule {
  readonly rule: LinkRule
  /** Variant of a split. */
  readonly variant?: SplitVariant
  /** Null: the link's own destination. */
  readonly to: string | null
}

/** The first rule that holds, with the address that it leads this visitor to. Undefined: the link's own destination. */
export function chooseRule(
  rules: LinkRules,
  facts: RuleFacts,
  now: number,
): ChosenRule | undefined {
  const visit = new VisitReading(facts, now)
  const rule = rules.find((each) => ruleHolds(each, visit))
  if (!rule) return undefined
  if (rule.split) {
    const variant = chooseVariant(rule.split, facts.shareOf(`${rule.id}/split`))
    return variant && { rule, variant, to: variant.to }
  }
  if ('else' in rule) return undefined
  return { rule, to: rule.app ? addressOf(rule.app, facts) : (rule.to ?? null) }
}

/** Whether all conditions of a rule hold; one without conditions never does. */
function ruleHolds(rule: LinkRule, visit: VisitReading): boolean {
  return 'else' in rule || (rule.when.length > 0 && firstUnmet(rule, visit) === -1)
}

/** Without a share everyone gets the first variant. */
function chooseVariant(
  split: readonly SplitVariant[],
  share: number | undefined,
): SplitVariant | undefined {
  let below = 0
  return split.find(({ weight }) => (share ?? 0) < (below += weight)) ?? split.at(-1)
}

function addressOf({ ios, android, fallback }: AppAddresses, { system }: RuleFacts): string {
  if (system === 'ios') return ios ?? fallback
  if (system === 'android') return android ?? fallback
  return fallback
}
