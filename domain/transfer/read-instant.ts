import { parseInstant } from '#domain/visits/rule-values.ts'

/** The first instant that services of links can have written; earlier ones are placeholders such as 0001-01-01. */
const firstInstantMs = 0
const lastInstantMs = Date.UTC(9999, 11, 31)

/**
 * An instant as services write it: ISO 8601 with or without an offset, `2024-05-01 10:00:00`, `2024-05-01`, `May 1, 2024 10:00 AM`,
 * or seconds or milliseconds since 1970. One without an offset is in UTC. A date of digits alone with slashes or dots between them,
 * such as `05/01/2024`, has two readings and is none.
 *
 * @returns the instant in ISO 8601; undefined for another text
 */
export function readInstant(value: unknown): string | undefined {
  const time = timeOf(value)
  if (time === undefined || !(time > firstInstantMs && time < lastInstantMs)) return undefined
  return new Date(time).toISOString()
}

function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return timeOfNumber(value)
  if (typeof value !== 'string' || value.length > 80) return undefined
  const text = value.trim()
  if (/^\d{9,13}(?:\.\d+)?$/.test(text)) return timeOfNumber(Number(text))
  return timeOfDigits(text) ?? timeOfWords(text)
}

/** A number below this is seconds: as milliseconds it would be in March 1973. */
const firstMilliseconds = 100_000_000_000

function timeOfNumber(number: number): number {
  return Math.trunc(number < firstMilliseconds ? number * 1_000 : number)
}

const digits =
  /^(\d{4})[-/](\d{2})[-/](\d{2})(?:[T ]+(\d{2}:\d{2})(:\d{2})?([.,]\d{1,9})?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i

function timeOfDigits(text: string): number | undefined {
  const parts = digits.exec(text)
  if (!parts) return undefined
  const [, year, month, day, clock = '00:00', seconds = ':00', fraction = '', zone = 'Z'] = parts
  const offset = /^[zug]/i.test(zone)
    ? 'Z'
    : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
  return parseInstant(
    `${year}-${month}-${day}T${clock}${seconds}${fraction.replace(',', '.')}${offset}`,
  )
}

const words =
  /^(?:[a-z]{3,9},? )?(?:[a-z]{3,9}\.? \d{1,2}|\d{1,2}\.? [a-z]{3,9}),? \d{4}\b[\w:,. +-]*$/i

/** A date with the name of its month in English. */
function timeOfWords(text: string): number | undefined {
  if (!words.test(text)) return undefined
  const plain = text.replaceAll(/(\d)\./g, '$1')
  const hasZone = /(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})$/i.test(plain)
  const time = Date.parse(hasZone ? plain : `${plain} UTC`)
  return Number.isNaN(time) ? undefined : time
}
