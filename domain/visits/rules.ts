import type { ConditionValue, RuleFact } from './condition-values.ts'

/**
 * One condition. It holds if the fact has any of the values of `is`, or none of those of `is_not`; it has exactly one of the
 * two lists. conditions.ts has the meaning of each fact.
 */
export interface RuleCondition {
  readonly fact: RuleFact
  readonly is?: readonly ConditionValue[]
  readonly is_not?: readonly ConditionValue[]
  /** Parameter of `query`. */
  readonly name?: string
  /** Time zone of `weekday` and `hours`, such as `Europe/Berlin`. */
  readonly zone?: string
}

/** One variant of an A/B split. */
export interface SplitVariant {
  readonly id: string
  /** Null: the link's own destination; only the first variant of "everyone else" has it. */
  readonly to: string | null
  /** Percent; the weights of a split add up to 100. */
  readonly weight: number
}

/** Addresses for the app of a system; other visitors, and those of a system without one, get the fallback. */
export interface AppAddresses {
  readonly ios?: string
  readonly android?: string
  readonly fallback: string
}

/** A rule for visitors that meet all conditions. It has exactly one of `to`, `split` and `app`. */
export interface ConditionalRule {
  readonly id: string
  readonly when: readonly RuleCondition[]
  readonly to?: string
  readonly split?: readonly SplitVariant[]
  readonly app?: AppAddresses
}

/** The split for everyone else. Without one, everyone else gets the link's own destination. */
export interface ElseRule {
  readonly id: string
  readonly else: true
  readonly split: readonly SplitVariant[]
}

export type LinkRule = ConditionalRule | ElseRule

/** The rules of a link in their order: the first one that holds wins. An {@link ElseRule} is last. */
export type LinkRules = readonly LinkRule[]

/**
 * Bounds of the rules of one link. Each visit pays for all of them, so some count all rules together: `npm run bench -- costs`
 * measures the most expensive rules that they allow. `bytes` counts the whole JSON as `JSON.stringify` writes it, in UTF-8.
 */
export const ruleBounds = {
  rules: 50,
  /** Maximum per rule. */
  conditions: 20,
  allConditions: 200,
  /** Maximum per condition. */
  values: 250,
  allValues: 2_000,
  zones: 10,
  minVariants: 2,
  maxVariants: 5,
  minWeight: 1,
  maxWeight: 99,
  idLength: 40,
  bytes: 65_536,
} as const

/** The addresses that rules lead to, besides the link's own destination. */
export function ruleAddresses(rules: LinkRules): string[] {
  return rules.flatMap((rule) => {
    const app = 'app' in rule ? rule.app : undefined
    const to = 'to' in rule ? rule.to : undefined
    return [
      ...(to === undefined ? [] : [to]),
      ...(rule.split ?? []).flatMap((variant) => variant.to ?? []),
      ...(app ? Object.values<string>({ ...app }) : []),
    ]
  })
}
