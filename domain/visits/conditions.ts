import { createAddressTest, parseAddressRange } from './reading/address-ranges.ts'
import type { RuleFact } from './condition-values.ts'
import { clockOf } from './local-time.ts'
import { parseInstant, parseTimeSpan } from './rule-values.ts'
import type { ConditionalRule, RuleCondition } from './rules.ts'
import { comparableName, type RuleFacts, type VisitReading } from './reading/visit-reading.ts'

/** A condition with its values prepared. */
interface PreparedCondition {
  readonly matches: Matcher
  /** The answer of `matches` with which the condition holds. */
  readonly wanted: boolean
}

/** Whether the fact has one of the listed values; undefined when it is not known. */
type Matcher = (visit: VisitReading, ruleId: string) => boolean | undefined

/**
 * The index of the first condition of a rule that does not hold for a visit; -1 when all hold. A fact that is not known makes a
 * condition false, `is_not` too. The meaning of each fact:
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
 *   one; `=x`: it has the value x, exactly. A repeated parameter matches by either value. A parameter that is missing is known
 *   to be missing, so `is_not` holds.
 * - `share`: percent of visitors; a visitor stays inside or outside for the UTC day.
 *
 * A link may have hundreds of conditions, and each visit asks all of them: none may cost more than a look-up.
 */
export function firstUnmet(rule: ConditionalRule, visit: VisitReading): number {
  return preparedConditions(rule).findIndex(
    ({ matches, wanted }) => matches(visit, rule.id) !== wanted,
  )
}

// Rules stay in memory with their link, so their conditions are prepared once.
const prepared = new WeakMap<ConditionalRule, readonly PreparedCondition[]>()

function preparedConditions(rule: ConditionalRule): readonly PreparedCondition[] {
  let conditions = prepared.get(rule)
  if (!conditions) prepared.set(rule, (conditions = rule.when.map(prepareCondition)))
  return conditions
}

function prepareCondition(condition: RuleCondition): PreparedCondition {
  const values = condition.is ?? condition.is_not ?? []
  // A later release may have stored a fact that this one does not know.
  const known: Partial<Record<string, Prepare>> = prepare
  return {
    matches: known[condition.fact]?.(values.map(String), condition) ?? (() => undefined),
    wanted: condition.is !== undefined,
  }
}

type Prepare = (values: readonly string[], condition: RuleCondition) => Matcher

const prepare: Readonly<Record<RuleFact, Prepare>> = {
  country: oneOf(({ country }) => country),
  region: placeIn(({ region }) => region),
  city: placeIn(({ city }) => city),
  language: (values) => {
    const named = new Set(values.map((value) => value.toLowerCase()))
    return ({ languages: { ranges } }) =>
      ranges.size === 0 ? undefined : haveCommon(named, ranges)
  },
  system: oneOf(({ system }) => system),
  device: oneOf(({ device }) => device),
  browser: oneOf(({ browser }) => browser),
  in_app: (values) => {
    const apps = new Set(values)
    return ({ facts: { inApp } }) =>
      inApp && (apps.has(inApp) || (apps.has('any') && inApp !== 'none'))
  },
  address: (values) => {
    const isListed = createAddressTest(values.flatMap((value) => parseAddressRange(value) ?? []))
    return ({ address }) => address && isListed(address)
  },
  weekday: (values, { zone = '' }) => {
    const days = new Set(values)
    const clock = clockOf(zone)
    return ({ now }) => {
      const time = clock?.at(now)
      return time && days.has(time.weekday)
    }
  },
  hours: (values, { zone = '' }) => {
    const spans = values.flatMap((value) => parseTimeSpan(value) ?? [])
    const clock = clockOf(zone)
    return ({ now }) => {
      const minute = clock?.at(now)?.minute
      if (minute === undefined) return undefined
      return spans.some(({ from, to }) =>
        from < to ? minute >= from && minute < to : minute >= from || minute < to,
      )
    }
  },
  before: ([value = '']) => {
    const instant = parseInstant(value)
    return ({ now }) => (instant === undefined ? undefined : now < instant)
  },
  after: ([value = '']) => {
    const instant = parseInstant(value)
    return ({ now }) => (instant === undefined ? undefined : now > instant)
  },
  first_visit: oneOf(({ firstVisit }) => firstVisit?.toString()),
  source: listed(({ source }) => source),
  query: (values, { name = '' }) => {
    const isEnough = values.includes('present')
    const texts = values.flatMap((value) => {
      if (value === 'empty') return ['']
      return value.startsWith('=') ? [value.slice(1)] : []
    })
    const wanted = new Set(texts)
    return ({ query }) => {
      if (query === undefined) return undefined
      const found = query.get(name) ?? []
      return found.length > 0 && (isEnough || found.some((value) => wanted.has(value)))
    }
  },
  share: ([percent = '']) => {
    const limit = Number(percent)
    return (visit, ruleId) => {
      const share = visit.shareOf(ruleId)
      return share === undefined ? undefined : share < limit
    }
  },
}

function oneOf(read: (facts: RuleFacts) => string | undefined): Prepare {
  return listed(({ facts }) => read(facts))
}

function placeIn(read: (visit: VisitReading) => string): Prepare {
  const prepareNames = listed(read)
  return (values, condition) => prepareNames(values.map(comparableName), condition)
}

/** @param read the value of a visit; undefined or '' when it is not known */
function listed(read: (visit: VisitReading) => string | undefined): Prepare {
  return (values) => {
    const named = new Set(values)
    return (visit) => {
      const value = read(visit)
      return value === undefined || value === '' ? undefined : named.has(value)
    }
  }
}

/** Looks up the members of the smaller set in the other one. */
function haveCommon(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [few, many] = one.size < other.size ? [one, other] : [other, one]
  for (const each of few) if (many.has(each)) return true
  return false
}
