import type { ConditionValue, RuleFact } from './condition-values.ts'
import { firstUnmet } from './conditions.ts'
import { clockOf } from './local-time.ts'
import {
  ruleApps,
  ruleBrowsers,
  ruleDevices,
  ruleSources,
  ruleSystems,
  weekdays,
} from './rule-values.ts'
import type { LinkRule, RuleCondition } from './rules.ts'
import type { RuleFacts, VisitReading } from './reading/visit-reading.ts'

/** The first condition that does not hold, with the reason as a sentence. */
export interface FailedCondition {
  /** Index in `when`. */
  readonly condition: number
  readonly why: string
}

/** Why a rule does not hold; undefined when it does. */
export function explainRule(rule: LinkRule, visit: VisitReading): FailedCondition | undefined {
  if ('else' in rule) return undefined
  const index = firstUnmet(rule, visit)
  const condition = rule.when[index]
  return condition && { condition: index, why: explain(condition, visit, rule.id) }
}

function explain(condition: RuleCondition, visit: VisitReading, ruleId: string): string {
  const { noun, found, value } = descriptions[condition.fact]
  const clause = found(visit, condition, ruleId)
  if (clause === undefined)
    return `The ${noun} is not known, so a condition about it does not hold.`
  const wanted = listedWords(condition.is ?? condition.is_not ?? [], value)
  const verb = condition.is ? 'asks for' : 'excludes'
  return `${clause}, and the rule ${verb} ${wanted}.`
}

interface Description {
  noun: string
  /** The fact of this visit as the start of a sentence; undefined when it is not known. */
  found: (visit: VisitReading, condition: RuleCondition, ruleId: string) => string | undefined
  value: (value: ConditionValue) => string
}

const descriptions: Readonly<Record<RuleFact, Description>> = {
  country: known('country', ({ country }) => country),
  region: known('region', ({ region }) => region),
  city: known('city', ({ city }) => city),
  language: {
    noun: 'language',
    found({ languages: { tags } }) {
      return tags.length === 0 ? undefined : `The visitor reads ${listedWords(tags, String, 'and')}`
    },
    value: String,
  },
  system: known('system', ({ system }) => system, { ...ruleSystems, other: 'another one' }),
  device: known('device', ({ device }) => device, {
    mobile: `a ${ruleDevices.mobile}`,
    tablet: `a ${ruleDevices.tablet}`,
    desktop: `a ${ruleDevices.desktop}`,
    other: 'another one',
  }),
  browser: known('browser', ({ browser }) => browser, { ...ruleBrowsers, other: 'another one' }),
  in_app: {
    noun: 'app',
    found: ({ facts: { inApp } }) =>
      inApp &&
      (inApp === 'none'
        ? 'The link is not opened in an app'
        : `The link is opened in ${inApp === 'other' ? 'another app' : ruleApps[inApp]}`),
    value: (value) => labelOf({ ...ruleApps, any: 'any app' }, value),
  },
  address: known('address', ({ address }) => address),
  weekday: {
    noun: 'weekday',
    found({ now }, { zone = '' }) {
      const time = clockOf(zone)?.at(now)
      return time && `It is ${weekdays[time.weekday]} in ${zone}`
    },
    value: (value) => labelOf(weekdays, value),
  },
  hours: {
    noun: 'time',
    found({ now }, { zone = '' }) {
      const minute = clockOf(zone)?.at(now)?.minute
      return minute === undefined ? undefined : `It is ${clockText(minute)} in ${zone}`
    },
    value: String,
  },
  before: { noun: 'time', found: instantOf, value: (value) => `a time before ${value}` },
  after: { noun: 'time', found: instantOf, value: (value) => `a time after ${value}` },
  first_visit: {
    noun: 'number of the visit',
    found: ({ facts: { firstVisit } }) =>
      firstVisit === undefined
        ? undefined
        : `This is ${firstVisit ? 'the first' : 'a later'} visit of the day`,
    value: (value) => (value === true ? 'the first one' : 'a later one'),
  },
  source: {
    noun: 'source',
    found: ({ source }) => source && `The visitor comes from ${ruleSources[source]}`,
    value: (value) => labelOf(ruleSources, value),
  },
  query: {
    noun: 'query',
    found({ query }, { name = '' }) {
      if (query === undefined) return undefined
      const values = query.get(name)
      if (values === undefined) return `The parameter ${name} is missing`
      return `The parameter ${name} is ${listedWords(values, quoted, 'and')}`
    },
    value: (value) =>
      value === 'present'
        ? 'any value'
        : value === 'empty'
          ? 'no value'
          : quoted(String(value).slice(1)),
  },
  share: {
    noun: 'share',
    found(visit, _, ruleId) {
      const share = visit.shareOf(ruleId)
      return share === undefined ? undefined : `The visitor drew ${share.toFixed(1)} of 100`
    },
    value: (value) => `less than ${value}`,
  },
}

function known(
  noun: string,
  read: (facts: RuleFacts) => string | undefined,
  labels: Readonly<Record<string, string>> = {},
): Description {
  return {
    noun,
    found({ facts }) {
      const value = read(facts)
      return value ? `The ${noun} is ${labelOf(labels, value)}` : undefined
    },
    value: (value) => labelOf(labels, value),
  }
}

function labelOf(labels: Readonly<Record<string, string>>, value: ConditionValue): string {
  const name = String(value)
  return Object.hasOwn(labels, name) ? (labels[name] ?? name) : name
}

function quoted(value: string): string {
  return value === '' ? 'empty' : `“${value}”`
}

function instantOf({ now }: VisitReading): string {
  return `It is ${new Date(now).toISOString()}`
}

function clockText(minute: number): string {
  return [Math.floor(minute / 60), minute % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}

const maxListed = 5

/** "DE, AT or CH"; a long list ends in "… and 12 more". */
export function listedWords<Item>(
  items: readonly Item[],
  wordOf: (item: Item) => string,
  conjunction: 'or' | 'and' = 'or',
): string {
  const words = items.slice(0, maxListed).map(wordOf)
  if (items.length > maxListed) return `${words.join(', ')} and ${items.length - maxListed} more`
  const [last = ''] = words.slice(-1)
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`
}
