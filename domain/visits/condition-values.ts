import { parseAddressRange } from './reading/address-ranges.ts'
import {
  isCountryCode,
  parseInstant,
  parseTimeSpan,
  ruleApps,
  ruleBrowsers,
  ruleDevices,
  ruleSources,
  ruleSystems,
  weekdays,
} from './rule-values.ts'

/** A value in the list of a condition: a number for `share`, a boolean for `first_visit`, a text for every other fact. */
export type ConditionValue = string | number | boolean

/** A value as it is stored, or a sentence without its full stop that refuses it. */
type CheckedValue = { value: ConditionValue } | { refusal: string }

interface FactValues {
  check: (value: unknown) => CheckedValue
  /** Only one value fits into the list. */
  single?: true
  /** The condition needs a time zone or the name of a parameter besides. */
  needs?: 'zone' | 'name'
}

const maxTextLength = 200
const maxQueryLength = 512

/** Facts that conditions ask for, with the values that their lists may have. conditions.ts has their meaning. */
export const conditionValues = {
  country: {
    check: text((typed) => {
      const code = typed.toUpperCase()
      return isCountryCode(code) ? code : refuse(typed, 'a country code such as DE or US')
    }),
  },
  region: { check: text(placeName) },
  city: { check: text(placeName) },
  language: {
    check: text((typed) => {
      const tag = typed.replaceAll('_', '-')
      return /^[a-z]{2,3}(?:-[a-z\d]{2,8}){0,3}$/i.test(tag)
        ? tag
        : refuse(typed, 'a language such as de or es-AR')
    }),
  },
  system: { check: oneOf(ruleSystems, 'a system') },
  device: { check: oneOf(ruleDevices, 'a device') },
  browser: { check: oneOf(ruleBrowsers, 'a browser') },
  in_app: { check: oneOf({ any: '', ...ruleApps }, 'an app') },
  address: {
    check: text((typed) =>
      parseAddressRange(typed)
        ? typed
        : refuse(typed, 'an address such as 192.0.2.1, 192.0.2.0/24, 192.0.2.* or 2001:db8::/32'),
    ),
  },
  weekday: { check: oneOf(weekdays, 'a weekday'), needs: 'zone' },
  hours: {
    check: text((typed) =>
      parseTimeSpan(typed) ? typed : refuse(typed, 'a span of hours such as 09:00-17:00'),
    ),
    needs: 'zone',
  },
  before: { check: text(instant), single: true },
  after: { check: text(instant), single: true },
  first_visit: {
    check: (value) =>
      typeof value === 'boolean' ? { value } : { refusal: 'A first visit is true or false' },
    single: true,
  },
  source: { check: oneOf(ruleSources, 'a source') },
  query: { check: text(queryValue, maxQueryLength), needs: 'name' },
  share: {
    check: (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 99
        ? { value }
        : { refusal: 'A share is a whole number of percent from 1 to 99' },
    single: true,
  },
} as const satisfies Readonly<Record<string, FactValues>>

export type RuleFact = keyof typeof conditionValues

export const ruleFacts = Object.keys(conditionValues) as RuleFact[]

export function factValues(fact: RuleFact): FactValues {
  return conditionValues[fact]
}

export function isRuleFact(value: unknown): value is RuleFact {
  return typeof value === 'string' && Object.hasOwn(conditionValues, value)
}

type Refusal = { refusal: string }

function text(
  read: (typed: string) => string | Refusal,
  maxLength = maxTextLength,
): FactValues['check'] {
  return (value) => {
    if (typeof value !== 'string') return { refusal: 'This value is a text' }
    if (value.length > maxLength)
      return { refusal: `This value has at most ${maxLength} characters` }
    if (!value.isWellFormed() || /\p{Cc}/u.test(value))
      return { refusal: 'This value has no control characters' }
    const result = read(value)
    return typeof result === 'string' ? { value: result } : result
  }
}

function oneOf(values: Readonly<Record<string, string>>, noun: string): FactValues['check'] {
  const names = Object.keys(values)
  return text((typed) => {
    const name = typed.toLowerCase()
    if (Object.hasOwn(values, name)) return name
    return { refusal: `“${typed}” is not ${noun}: choose from ${names.join(', ')}` }
  })
}

function placeName(typed: string): string | Refusal {
  const name = typed.trim().normalize('NFC')
  return name === '' ? { refusal: 'A name of a place is needed' } : name
}

function instant(typed: string): string | Refusal {
  const time = parseInstant(typed)
  if (time === undefined)
    return refuse(typed, 'a date and time with its offset, such as 2026-12-24T18:00:00+01:00')
  return new Date(time).toISOString()
}

function queryValue(typed: string): string | Refusal {
  if (typed === 'present' || typed === 'empty' || typed.startsWith('=')) return typed
  return {
    refusal: `“${typed}” is not possible here: write present, empty, or = and the value, such as =summer`,
  }
}

function refuse(typed: string, example: string): Refusal {
  return { refusal: `“${typed}” is not ${example}` }
}
