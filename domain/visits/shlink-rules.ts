import { parseAddressRange } from './reading/address-ranges.ts'
import type { ConditionValue, RuleFact } from './condition-values.ts'
import { isCountryCode, parseInstant, ruleBrowsers } from './rule-values.ts'

/** A redirect rule as Shlink's API lists it (`GET /rest/v3/short-urls/{code}/redirect-rules`). */
export interface ShlinkRule {
  longUrl: string
  /** The lowest comes first. */
  priority?: number | undefined
  conditions: readonly ShlinkCondition[]
}

export interface ShlinkCondition {
  type: string
  matchKey?: string | null | undefined
  matchValue?: string | null | undefined
}

/** A condition and a rule before `parseRules`, which checks address and values. */
interface ConvertedCondition {
  fact: RuleFact
  is: ConditionValue[]
  name?: string
}
interface ConvertedRule {
  when: ConvertedCondition[]
  to: string
}

export interface ConvertedShlinkRules {
  rules: ConvertedRule[]
  /** A sentence for each rule that is left out. */
  notices: string[]
}

/**
 * Converts the redirect rules of a short URL of Shlink 5.1 for `parseRules`, in the order of their priority. Rules that never match in
 * Shlink are left out with a notice: those without conditions, and those with a condition that no visit can meet.
 */
export function convertShlinkRules(rules: readonly ShlinkRule[]): ConvertedShlinkRules {
  const converted: ConvertedRule[] = []
  const notices: string[] = []
  const ordered = [...rules].sort((a, b) => (a.priority ?? 0) - (b.priority ?? 0))
  for (const [i, { longUrl, conditions }] of ordered.entries()) {
    const name = `Rule ${i + 1}, to ${longUrl},`
    const when = conditions.map(convert)
    if (when.length === 0)
      notices.push(`${name} has no conditions. It never matched in Shlink, and is left out.`)
    else if (when.every((each) => each !== undefined)) converted.push({ when, to: longUrl })
    else {
      const { type, matchValue } = conditions[when.indexOf(undefined)] ?? { type: '' }
      notices.push(
        `${name} has the condition ${type} with ${matchValue ? `“${matchValue}”` : 'no value'}, which matches no visit. It is left out.`,
      )
    }
  }
  return { rules: converted, notices }
}

/** Undefined: no visit meets the condition. */
function convert({ type, matchKey, matchValue }: ShlinkCondition): ConvertedCondition | undefined {
  const value = matchValue ?? ''
  // Shlink's importers have the name of the parameter as the value.
  const name = matchKey || value
  switch (type) {
    case 'device':
      return oneOf('system', systemsOf[value])
    case 'language':
      return oneOf('language', languageOf(value))
    case 'query-param':
      return matchKey && value !== ''
        ? { fact: 'query', name: matchKey, is: [`=${value}`] }
        : undefined
    case 'any-value-query-param':
      return name === '' ? undefined : { fact: 'query', name, is: ['present'] }
    case 'valueless-query-param':
      // For PHP, "0" is empty too.
      return name === '' ? undefined : { fact: 'query', name, is: ['empty', '=0'] }
    case 'ip-address':
      return parseAddressRange(value) && { fact: 'address', is: [value] }
    case 'geolocation-country-code': {
      const code = value.toUpperCase()
      return isCountryCode(code) ? { fact: 'country', is: [code] } : undefined
    }
    case 'geolocation-city-name':
      return value.trim() === '' ? undefined : { fact: 'city', is: [value] }
    case 'before-date':
      return oneOf('before', instantOf(value))
    case 'after-date':
      return oneOf('after', instantOf(value))
    case 'browser':
      return Object.hasOwn(ruleBrowsers, value) ? { fact: 'browser', is: [value] } : undefined
    default:
      return undefined
  }
}

/** Shlink names the system by the User-Agent and derives the kind of device from it: tablets are mobile, as with us the systems are. */
const systemsOf: Readonly<Record<string, string[]>> = {
  ios: ['ios'],
  android: ['android'],
  mobile: ['ios', 'android'],
  windows: ['windows'],
  macos: ['macos'],
  linux: ['linux'],
  chromeos: ['chromeos'],
  desktop: ['windows', 'macos', 'linux', 'chromeos'],
}

/** Shlink compares the first two subtags only. */
function languageOf(locale: string): string[] | undefined {
  const tag = /^[a-z]{2,3}(?:-[a-z\d]{2,8})?/i.exec(locale.trim().replaceAll('_', '-'))
  return tag ? [tag[0]] : undefined
}

/** Shlink writes dates with their offset; PHP reads one without in the time zone of its server, usually UTC. */
function instantOf(date: string): string[] | undefined {
  const typed = date.trim().replace(' ', 'T')
  const candidates = [
    typed,
    `${typed}Z`,
    `${typed}T00:00:00Z`,
    typed.replace(/(\d\d)(\d\d)$/, '$1:$2'),
  ]
  const text = candidates.find((candidate) => parseInstant(candidate) !== undefined)
  return text === undefined ? undefined : [text]
}

function oneOf(fact: RuleFact, values: string[] | undefined): ConvertedCondition | undefined {
  return values && { fact, is: values }
}
