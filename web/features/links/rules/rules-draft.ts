import { lacksScheme } from '#domain/links/destinations.ts'
import { factValues, type ConditionValue, type RuleFact } from '#domain/visits/condition-values.ts'
import type { LinkRule, LinkRules, RuleCondition, SplitVariant } from '#domain/visits/rules.ts'
import { randomUuid } from '#web/random-uuid.ts'

/** A rule while it is edited. It keeps the addresses of all kinds of target, so that another choice loses nothing. */
export interface DraftRule {
  readonly key: string
  readonly id?: string | undefined
  readonly when: readonly DraftCondition[]
  readonly target: RuleTargetKind
  readonly to: string
  readonly split: readonly DraftVariant[]
  readonly app: { readonly ios: string; readonly android: string; readonly fallback: string }
}

export type RuleTargetKind = 'to' | 'split' | 'app'

export interface DraftCondition {
  readonly key: string
  readonly fact: RuleFact
  readonly list: 'is' | 'is_not'
  readonly values: readonly ConditionValue[]
  readonly name: string
  readonly zone: string
}

export interface DraftVariant {
  readonly key: string
  readonly id?: string | undefined
  readonly to: string
  /** As typed. */
  readonly weight: string
}

/** Rules of a link while they are edited. */
export interface RulesDraft {
  readonly rules: readonly DraftRule[]
  /** Id of the split for everyone else; its first variant is the link's destination. */
  readonly elseId?: string | undefined
  readonly isElseSplit: boolean
  readonly elseSplit: readonly DraftVariant[]
}

export const newVariant = (weight = ''): DraftVariant => ({ key: randomUuid(), to: '', weight })

const newSplit = () => [newVariant('50'), newVariant('50')]

/** @param zone time zone of the person */
export function newCondition(fact: RuleFact, zone: string): DraftCondition {
  const values = fact === 'first_visit' ? [true] : []
  return { key: randomUuid(), fact, list: 'is', values, name: '', zone }
}

export function newRule(zone: string): DraftRule {
  return {
    key: randomUuid(),
    when: [newCondition('country', zone)],
    target: 'to',
    to: '',
    split: newSplit(),
    app: { ios: '', android: '', fallback: '' },
  }
}

export function draftOf(rules: LinkRules, zone: string): RulesDraft {
  const everyoneElse = rules.find((rule) => 'else' in rule)
  return {
    rules: rules.flatMap((rule) => ('else' in rule ? [] : draftRule(rule, zone))),
    elseId: everyoneElse?.id,
    isElseSplit: everyoneElse !== undefined,
    elseSplit: everyoneElse?.split.map(draftVariant) ?? newSplit(),
  }
}

function draftRule(rule: Exclude<LinkRule, { else: true }>, zone: string): DraftRule {
  const { id, when, to, split, app } = rule
  return {
    ...newRule(zone),
    key: id,
    id,
    when: when.map((condition) => draftCondition(condition, zone)),
    target: split ? 'split' : app ? 'app' : 'to',
    to: to ?? '',
    ...(split && { split: split.map(draftVariant) }),
    ...(app && { app: { ios: '', android: '', ...app } }),
  }
}

function draftCondition(condition: RuleCondition, personsZone: string): DraftCondition {
  const { fact, is, is_not, name = '', zone = personsZone } = condition
  const draft = { ...newCondition(fact, zone), name }
  // "Is not the first visit" says the same as "is a later one".
  if (fact === 'first_visit')
    return { ...draft, list: (is ?? is_not)?.[0] === (is !== undefined) ? 'is' : 'is_not' }
  return { ...draft, list: is ? 'is' : 'is_not', values: is ?? is_not ?? [] }
}

function draftVariant({ id, to, weight }: SplitVariant): DraftVariant {
  return { key: id, id, to: to ?? '', weight: String(weight) }
}

/** The rules as `parseRules` reads them, which keeps the ids and finds problems by path. */
export function rulesOfDraft(draft: RulesDraft): unknown[] {
  const { elseId, elseSplit } = draft
  const everyoneElse = {
    ...idOf(elseId),
    else: true,
    split: elseSplit.map((variant, i) => {
      const { to, ...others } = variantOf(variant)
      return i === 0 ? others : { to, ...others }
    }),
  }
  return [...draft.rules.map(ruleOf), ...(draft.isElseSplit ? [everyoneElse] : [])]
}

function ruleOf({ id, when, target, to, split, app }: DraftRule) {
  return {
    ...idOf(id),
    when: when.map(conditionOf),
    ...(target === 'to' && { to: addressOf(to) }),
    ...(target === 'split' && { split: split.map(variantOf) }),
    ...(target === 'app' && {
      app: {
        ...(app.ios.trim() !== '' && { ios: addressOf(app.ios) }),
        ...(app.android.trim() !== '' && { android: addressOf(app.android) }),
        fallback: addressOf(app.fallback),
      },
    }),
  }
}

function conditionOf({ fact, list, values, name, zone }: DraftCondition) {
  const { needs } = factValues(fact)
  return {
    fact,
    [list]: values,
    ...(needs === 'name' && { name: name.trim() }),
    ...(needs === 'zone' && { zone }),
  }
}

function variantOf({ id, to, weight }: DraftVariant) {
  return { ...idOf(id), to: addressOf(to), weight: Number(weight) }
}

/** A typed address, with https:// if it was left out. */
function addressOf(typed: string): string {
  const text = typed.trim()
  return lacksScheme(text) ? `https://${text}` : text
}

const idOf = (id: string | undefined) => (id === undefined ? {} : { id })

/** Whether saving would change the rules. */
export function areRulesChanged(draft: RulesDraft, stored: RulesDraft): boolean {
  return JSON.stringify(rulesOfDraft(draft)) !== JSON.stringify(rulesOfDraft(stored))
}
