import { type AddressRange, isInRange, parseAddress, parseAddressRange } from './address-ranges.ts'
import type { RuleFact } from './condition-values.ts'
import {
  parseInstant,
  parseTimeSpan,
  type RuleApp,
  type RuleBrowser,
  type RuleDevice,
  type RuleSource,
  type RuleSystem,
} from './rule-values.ts'
import type { RuleCondition } from './rules.ts'
import { localTime } from './local-time.ts'

/**
 * Facts about a visit that conditions ask for. Undefined, and the empty text for places and the address: not known. `other`
 * is known, but no value that a condition could name.
 */
export interface RuleFacts {
  /** ISO 3166-1 alpha-2 in capitals. */
  readonly country: string | undefined
  /** English names, where the database of addresses has them. */
  readonly region: string | undefined
  readonly city: string | undefined
  /** The header Accept-Language. */
  readonly languages: string | undefined
  readonly system: RuleSystem | 'other' | undefined
  readonly device: RuleDevice | 'other' | undefined
  readonly browser: RuleBrowser | 'other' | undefined
  /** `none`: no app, an ordinary browser. */
  readonly inApp: RuleApp | 'other' | 'none' | undefined
  /** The visitor's address; an IPv4 address may be written as IPv6 writes it. */
  readonly address: string | undefined
  /** The visitor's first visit to this link on this UTC day. */
  readonly firstVisit: boolean | undefined
  readonly source: RuleSource | undefined
  /** The query of the short link's address as sent, without its `?`. */
  readonly query: string | undefined
  /**
   * A number in [0, 100) that stays the same for the visitor's day and the key, and says nothing about the number of another
   * key. Conditions pass the rule's id, splits `id/split`.
   */
  shareOf(key: string): number | undefined
}

/** Time and rule that a condition is about. */
export interface ConditionContext {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly ruleId: string
}

/** Whether the fact has one of the listed values; undefined when it is not known. */
type Matcher = (facts: RuleFacts, context: ConditionContext) => boolean | undefined

/**
 * Whether a condition holds. A fact that is not known makes it false, `is_not` too. The meaning of each fact:
 *
 * - `country`, `region`, `city`: the place of the visitor's address; names of places are compared without regard to case.
 * - `language`: entries of Accept-Language with q >= 0.9. `es` matches `es` and `es-AR`, `es-AR` does not match `es`. `*` is no
 *   language; without an entry the language is not known.
 * - `system`, `device`, `browser`, `in_app`: named by the User-Agent. iPadOS reports macOS and a computer. In an app the browser
 *   is none that a condition could name. `in_app` is known for ordinary browsers too: they are in no app.
 * - `address`: one, a network, or a wildcard.
 * - `weekday`, `hours`: the wall clock in the condition's time zone. `09:00-17:00` holds from 9:00:00 to 16:59:59;
 *   `22:00-06:00` runs over midnight and belongs, with a weekday, to the day on which the clock is.
 * - `before`, `after`: the instant itself is neither.
 * - `first_visit`: of the UTC day on this link.
 * - `source`: the address of the link, or its QR code.
 * - `query`: decoded like a form. `present`: the parameter is there, with or without a value; `empty`: it is there without
 *   one; `=x`: it has the value x, exactly. Of a parameter that is there twice, either counts. A parameter that is missing is known
 *   to be missing, so `is_not` holds.
 * - `share`: percent of visitors; a visitor stays inside or outside for the UTC day.
 */
export function holds(
  condition: RuleCondition,
  facts: RuleFacts,
  context: ConditionContext,
): boolean {
  const matches = matcherOf(condition)(facts, context)
  return matches === (condition.is !== undefined)
}

// Rules stay in memory with their link, so each condition is prepared once.
const matchers = new WeakMap<RuleCondition, Matcher>()

function matcherOf(condition: RuleCondition): Matcher {
  let matcher = matchers.get(condition)
  if (!matcher) {
    const values = condition.is ?? condition.is_not ?? []
    matcher = prepare[condition.fact](values.map(String), condition)
    matchers.set(condition, matcher)
  }
  return matcher
}

type Prepare = (values: readonly string[], condition: RuleCondition) => Matcher

const prepare: Readonly<Record<RuleFact, Prepare>> = {
  country: oneOf(({ country }) => country),
  region: placeIn(({ region }) => region),
  city: placeIn(({ city }) => city),
  language: (values) => {
    const ranges = values.map((value) => value.toLowerCase())
    return ({ languages = '' }) => {
      const accepted = acceptedLanguages(languages)
      if (accepted.length === 0) return undefined
      return accepted.some((tag) =>
        ranges.some((range) => tag === range || tag.startsWith(`${range}-`)),
      )
    }
  },
  system: oneOf(({ system }) => system),
  device: oneOf(({ device }) => device),
  browser: oneOf(({ browser }) => browser),
  in_app: (values) => {
    const apps = new Set(values)
    return ({ inApp }) => inApp && (apps.has(inApp) || (apps.has('any') && inApp !== 'none'))
  },
  address: (values) => {
    const ranges = values.map(parseAddressRange).filter((range): range is AddressRange => !!range)
    return ({ address = '' }) => {
      const groups = parseAddress(address)
      return groups && ranges.some((range) => isInRange(groups, range))
    }
  },
  weekday: (values, { zone = '' }) => {
    const days = new Set(values)
    return (_, { now }) => {
      const time = localTime(now, zone)
      return time && days.has(time.weekday)
    }
  },
  hours: (values, { zone = '' }) => {
    const spans = values.flatMap((value) => parseTimeSpan(value) ?? [])
    return (_, { now }) => {
      const minute = localTime(now, zone)?.minute
      if (minute === undefined) return undefined
      return spans.some(({ from, to }) =>
        from < to ? minute >= from && minute < to : minute >= from || minute < to,
      )
    }
  },
  before: ([value = '']) => {
    const instant = parseInstant(value)
    return (_, { now }) => (instant === undefined ? undefined : now < instant)
  },
  after: ([value = '']) => {
    const instant = parseInstant(value)
    return (_, { now }) => (instant === undefined ? undefined : now > instant)
  },
  first_visit: oneOf(({ firstVisit }) => firstVisit?.toString()),
  source: oneOf(({ source }) => source),
  query: (values, { name = '' }) => {
    const tests = new Set(values)
    return ({ query }) => {
      if (query === undefined) return undefined
      const found = queryValues(query, name)
      if (found.length === 0) return false
      return (
        tests.has('present') ||
        found.some((value) => (value === '' && tests.has('empty')) || tests.has(`=${value}`))
      )
    }
  },
  share: ([percent = '']) => {
    const limit = Number(percent)
    return (facts, { ruleId }) => {
      const share = facts.shareOf(ruleId)
      return share === undefined ? undefined : share < limit
    }
  },
}

function oneOf(read: (facts: RuleFacts) => string | undefined): Prepare {
  return (values) => {
    const listed = new Set(values)
    return (facts) => {
      const value = read(facts)
      return value === undefined || value === '' ? undefined : listed.has(value)
    }
  }
}

function placeIn(read: (facts: RuleFacts) => string | undefined): Prepare {
  return (values) => {
    const names = new Set(values.map(comparableName))
    return (facts) => {
      const name = read(facts)
      return name === undefined || name === '' ? undefined : names.has(comparableName(name))
    }
  }
}

function comparableName(name: string): string {
  return name.trim().normalize('NFC').toLowerCase()
}

/** No browser sends more, and a stranger may. */
const maxHeaderLength = 1_000

// A few headers make most visits.
const maxKnownHeaders = 500
const knownHeaders = new Map<string, readonly string[]>()

/** The languages of an Accept-Language header with q >= 0.9, in lower case. */
export function acceptedLanguages(header: string): readonly string[] {
  let languages = knownHeaders.get(header)
  if (!languages) {
    languages = readLanguages(header)
    if (knownHeaders.size >= maxKnownHeaders) knownHeaders.clear()
    if (header.length <= maxHeaderLength) knownHeaders.set(header, languages)
  }
  return languages
}

function readLanguages(header: string): string[] {
  return header
    .slice(0, maxHeaderLength)
    .split(',')
    .flatMap((entry) => {
      const [tag = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
      const name = tag.replaceAll('_', '-')
      return /^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/.test(name) && parseFloat(quality) >= 0.9 ? [name] : []
    })
}

/** The decoded values of a parameter, in order; '' for one without a value. */
export function queryValues(query: string, name: string): string[] {
  return query === '' ? [] : new URLSearchParams(`?${query}`).getAll(name)
}
