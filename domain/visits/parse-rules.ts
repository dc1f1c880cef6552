import { type ConditionValue, factValues, isRuleFact, ruleFacts } from './condition-values.ts'
import { readAddress, readApp, readSplit } from './parse-targets.ts'
import { isNamedTimeZone } from './local-time.ts'
import {
  type ConditionalRule,
  type ElseRule,
  type LinkRule,
  type LinkRules,
  ruleBounds,
  type RuleCondition,
} from './rules.ts'
import { RulesReader, type RuleProblem } from './rules-reader.ts'

export interface ParseRulesOptions {
  /** Hosts that no address may lead to, from `ownHostsOf`. */
  ownHosts: readonly string[]
  /** The link's own destination. Without it, the first variant of the split for everyone else keeps the address that it has. */
  destination?: string
  /** Makes the id of a rule or variant that has none. Without it such a rule is refused. */
  newId?: () => string
  /** Default: the time zones that this runtime knows. */
  isTimeZone?: (zone: string) => boolean
}

export type ParsedRules =
  | { readonly ok: true; readonly rules: LinkRules }
  | { readonly ok: false; readonly problems: readonly RuleProblem[] }

/**
 * Reads the rules of a link as programs write them:
 *
 *     [
 *       { "id": "…", "when": [{ "fact": "country", "is": ["DE", "AT"] }], "to": "https://…" },
 *       { "when": [{ "fact": "system", "is_not": ["ios"] }], "split": [{ "to": "https://…", "weight": 60 }, …] },
 *       { "when": […], "app": { "ios": "https://…", "android": "https://…", "fallback": "https://…" } },
 *       { "else": true, "split": [{ "weight": 50 }, { "to": "https://…", "weight": 50 }] }
 *     ]
 *
 * The result is the form to store: values as conditions compare them, instants in UTC, addresses as `checkDestination` returns
 * them, an id for every rule and variant. Parsing it again returns the same. `{"else": true}` alone says nothing and is left out. The first variant of the
 * split for everyone else may have the link's destination as `to`, null, or no `to`; it follows the link when that changes.
 *
 * Refuses unknown keys, rules without conditions, and everything beyond {@link ruleBounds}. Each problem is a sentence with
 * the path of its field.
 */
export function parseRules(json: unknown, options: ParseRulesOptions): ParsedRules {
  const reader = new RulesReader(options)
  const rules = readRules(json, reader, options)
  return reader.problems.length === 0
    ? { ok: true, rules }
    : { ok: false, problems: reader.problems }
}

function readRules(json: unknown, reader: RulesReader, options: ParseRulesOptions): LinkRule[] {
  if (!Array.isArray(json)) {
    reader.report('', 'Rules are a list')
    return []
  }
  const { rules: maxRules, bytes } = ruleBounds
  if (json.length > maxRules) {
    reader.report('', `A link has at most ${maxRules} rules`)
    return []
  }
  if (new TextEncoder().encode(JSON.stringify(json)).length > bytes) {
    reader.report('', 'The rules of a link have at most 64 KB in total')
    return []
  }
  return json.flatMap((item: unknown, i): LinkRule[] => {
    if (reader.isFull) return []
    const path = String(i)
    const isElse = typeof item === 'object' && item !== null && 'else' in item
    if (isElse && i !== json.length - 1)
      reader.report(`${path}.else`, 'The rule for everyone else is the last one')
    const rule = isElse
      ? readElse(item, path, reader)
      : readConditional(item, path, reader, options.isTimeZone ?? isNamedTimeZone)
    return rule ? [rule] : []
  })
}

function readElse(item: object, path: string, reader: RulesReader): ElseRule | undefined {
  const rule = reader.object(item, path, ['id', 'else', 'split'])
  if (!rule) return undefined
  if (rule['else'] !== true) return reader.report(`${path}.else`, 'Else is true')
  if (rule['split'] === undefined) return undefined
  const id = reader.id(rule['id'], `${path}.id`)
  const split = readSplit(rule['split'], `${path}.split`, reader, { isFirstOwn: true })
  return id !== undefined && split ? { id, else: true, split } : undefined
}

const targets = ['to', 'split', 'app'] as const

function readConditional(
  item: unknown,
  path: string,
  reader: RulesReader,
  isTimeZone: (zone: string) => boolean,
): ConditionalRule | undefined {
  const rule = reader.object(item, path, ['id', 'when', ...targets])
  if (!rule) return undefined
  const id = reader.id(rule['id'], `${path}.id`)
  const when = readConditions(rule['when'], `${path}.when`, reader, isTimeZone)
  const given = targets.filter((target) => rule[target] !== undefined)
  const [target] = given
  if (target === undefined || given.length > 1)
    return reader.report(path, 'A rule leads to exactly one of to, split and app')
  if (id === undefined || !when) return undefined
  const field = `${path}.${target}`
  switch (target) {
    case 'to': {
      const to = readAddress(rule['to'], field, reader)
      return to === undefined ? undefined : { id, when, to }
    }
    case 'split': {
      const split = readSplit(rule['split'], field, reader)
      return split && { id, when, split }
    }
    case 'app': {
      const app = readApp(rule['app'], field, reader)
      return app && { id, when, app }
    }
  }
}

function readConditions(
  json: unknown,
  path: string,
  reader: RulesReader,
  isTimeZone: (zone: string) => boolean,
): RuleCondition[] | undefined {
  if (!Array.isArray(json) || json.length === 0)
    return reader.report(path, 'A rule needs at least one condition')
  if (json.length > ruleBounds.conditions)
    return reader.report(path, `A rule has at most ${ruleBounds.conditions} conditions`)
  return json.flatMap(
    (item: unknown, i) => readCondition(item, `${path}.${i}`, reader, isTimeZone) ?? [],
  )
}

function readCondition(
  item: unknown,
  path: string,
  reader: RulesReader,
  isTimeZone: (zone: string) => boolean,
): RuleCondition | undefined {
  if (!reader.takeCondition(path)) return undefined
  const fact = typeof item === 'object' && item !== null && 'fact' in item ? item.fact : undefined
  if (!isRuleFact(fact)) {
    const facts = ruleFacts.join(', ')
    return reader.report(`${path}.fact`, `A condition has one of these facts: ${facts}`)
  }
  const { needs } = factValues(fact)
  const condition = reader.object(item, path, ['fact', 'is', 'is_not', ...(needs ? [needs] : [])])
  if (!condition) return undefined
  if ((condition['is'] === undefined) === (condition['is_not'] === undefined))
    return reader.report(path, 'A condition has exactly one of is and is_not')
  const list = condition['is'] === undefined ? 'is_not' : 'is'
  const values = readValues(condition[list], `${path}.${list}`, reader, factValues(fact))
  const extra = needs && readExtra(needs, condition[needs], `${path}.${needs}`, reader, isTimeZone)
  if (!values || (needs && extra === undefined)) return undefined
  return { fact, [list]: values, ...(needs && { [needs]: extra }) }
}

function readValues(
  json: unknown,
  path: string,
  reader: RulesReader,
  { check, single }: ReturnType<typeof factValues>,
): ConditionValue[] | undefined {
  if (!Array.isArray(json) || json.length === 0)
    return reader.report(path, 'A condition needs a list with at least one value')
  if (single && json.length > 1) return reader.report(path, 'This condition takes one value')
  if (json.length > ruleBounds.values)
    return reader.report(path, `A condition has at most ${ruleBounds.values} values`)
  if (!reader.takeValues(json.length, path)) return undefined
  const values = json.flatMap((value: unknown, i): ConditionValue[] => {
    const checked = check(value)
    if ('value' in checked) return [checked.value]
    reader.report(`${path}.${i}`, checked.refusal)
    return []
  })
  return [...new Set(values)]
}

function readExtra(
  kind: 'zone' | 'name',
  value: unknown,
  path: string,
  reader: RulesReader,
  isTimeZone: (zone: string) => boolean,
): string | undefined {
  if (kind === 'zone') {
    if (typeof value !== 'string')
      return reader.report(path, 'A weekday and hours need a time zone such as Europe/Berlin')
    if (!reader.takeZone(value, path)) return undefined
    if (isTimeZone(value)) return value
    return reader.report(path, `“${value.slice(0, 80)}” is not a time zone such as Europe/Berlin`)
  }
  if (typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(value)) return value
  return reader.report(path, 'A query condition needs the name of a parameter, 1 to 200 characters')
}
