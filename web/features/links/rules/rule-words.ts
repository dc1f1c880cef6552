import { readableUrl } from '#domain/links/readable-url.ts'
import type { ConditionValue, RuleFact } from '#domain/visits/condition-values.ts'
import { listedWords } from '#domain/visits/explain-rule.ts'
import {
  ruleApps,
  ruleBrowsers,
  ruleDevices,
  ruleSources,
  ruleSystems,
  weekdays,
} from '#domain/visits/rule-values.ts'
import type { LinkRule, RuleCondition, SplitVariant } from '#domain/visits/rules.ts'
import { variantLetter } from '#domain/visits/rules-reader.ts'
import { countryName, languageName } from '#web/ui/code-names.ts'
import { momentOf } from '#web/ui/time-words.ts'

/** Names of facts for people, in the order of the editor. */
export const ruleFactNames: Readonly<Record<RuleFact, string>> = {
  country: 'Country',
  region: 'Region',
  city: 'City',
  language: 'Language',
  system: 'System',
  device: 'Device',
  browser: 'Browser',
  in_app: 'App',
  source: 'Source',
  first_visit: 'First visit',
  weekday: 'Weekday',
  hours: 'Hours',
  before: 'Before',
  after: 'After',
  query: 'Query parameter',
  share: 'Share of visitors',
  address: 'IP address',
}

/** Names of the values of facts that have a fixed list. */
export const valueNames: Partial<Readonly<Record<RuleFact, Readonly<Record<string, string>>>>> = {
  system: ruleSystems,
  device: ruleDevices,
  browser: ruleBrowsers,
  in_app: { any: 'Any app', ...ruleApps },
  source: { link: 'Link', qr: 'QR code' },
  weekday: weekdays,
}

/** Name of one value for people. */
export function ruleValueName(fact: RuleFact, value: ConditionValue): string {
  const text = String(value)
  if (fact === 'country') return countryName(text)
  if (fact === 'language') return languageName(text)
  if (fact === 'before' || fact === 'after') return momentOf(text)
  if (fact === 'query') return text === 'present' || text === 'empty' ? text : `“${text.slice(1)}”`
  return nameIn(valueNames[fact] ?? {}, value)
}

function nameIn(names: Readonly<Record<string, string>>, value: ConditionValue): string {
  const text = String(value)
  return (Object.hasOwn(names, text) ? names[text] : undefined) ?? text
}

/** A rule in plain words: its conditions, and where it leads. */
export function ruleWords(rule: LinkRule): { when: string; to: string } {
  const when = 'else' in rule ? 'Everyone else' : rule.when.map(conditionWords).join(', ')
  return { when: when.slice(0, 1).toUpperCase() + when.slice(1), to: targetWords(rule) }
}

function conditionWords(condition: RuleCondition): string {
  const { fact, is, is_not } = condition
  const given = is ?? is_not ?? []
  const values = listedWords(given, (value) => ruleValueName(fact, value))
  const words = clauses[fact]
  if (words !== undefined) return words({ ...condition, given, values, not: is ? '' : 'not ' })
  const noun = fact === 'address' ? 'IP address' : fact
  return `${noun} is ${is ? '' : 'not '}${values}`
}

interface ClauseParts extends RuleCondition {
  given: readonly ConditionValue[]
  /** Their names. */
  values: string
  /** Empty for `is`. */
  not: string
}

const inZone = ({ zone = '' }: ClauseParts) => `(${zone.replaceAll('_', ' ')})`

/** Words for the facts that are no noun of a sentence. */
const clauses: Partial<Readonly<Record<RuleFact, (parts: ClauseParts) => string>>> = {
  in_app: ({ not, given, values }) =>
    `${not}opened in ${given.includes('any') ? 'an app' : values}`,
  weekday: (parts) => `${parts.not}on ${parts.values} ${inZone(parts)}`,
  hours: (parts) => `${parts.not}at ${parts.values} ${inZone(parts)}`,
  before: ({ not, values }) => `${not}before ${values}`,
  after: ({ not, values }) => `${not}after ${values}`,
  first_visit: ({ not, given }) =>
    given[0] === (not === '') ? 'first visit of the day' : 'later visits of the day',
  source: ({ not, given }) =>
    `${not}from ${listedWords(given, (each) => nameIn(ruleSources, each))}`,
  query: ({ not, name = '', values }) => `parameter ${name} is ${not}${values}`,
  share: ({ not, values }) =>
    not === '' ? `${values} % of visitors` : `all but ${values} % of visitors`,
}

function targetWords(rule: LinkRule): string {
  if (rule.split) return rule.split.map(variantWords).join(', ')
  if ('else' in rule) return ''
  if (rule.app) {
    const { ios, android, fallback } = rule.app
    return [
      ios === undefined ? '' : `iOS: ${readableUrl(ios)}`,
      android === undefined ? '' : `Android: ${readableUrl(android)}`,
      `others: ${readableUrl(fallback)}`,
    ]
      .filter((part) => part !== '')
      .join(', ')
  }
  return readableUrl(rule.to ?? '')
}

const variantWords = ({ to, weight }: SplitVariant, index: number) =>
  `${variantLetter(index)} ${weight} %: ${to === null ? 'the destination' : readableUrl(to)}`
