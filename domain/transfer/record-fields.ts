import { columnKey, type SourceRecord } from './imported.ts'

/**
 * The fields of a record by their names without case, blanks and punctuation, with values of any type read as a text, a number, a flag or
 * a list. Each method takes several names, and answers with the first one that has a value.
 */
export class RecordFields {
  readonly #values = new Map<string, unknown>()

  constructor(record: SourceRecord) {
    for (const [name, value] of Object.entries(record)) {
      const key = columnKey(name)
      if (!this.#values.has(key)) this.#values.set(key, value)
    }
  }

  /** The value as it is; undefined when it is missing, null or empty. */
  value(...names: string[]): unknown {
    for (const name of names) {
      const value = this.#values.get(columnKey(name))
      if (value !== undefined && value !== null && value !== '') return value
    }
    return undefined
  }

  /** A text of one line without control characters. */
  text(...names: string[]): string | undefined {
    return firstOf(names, (name) => lineOf(this.value(name)))
  }

  /** A text that keeps its line breaks. */
  lines(...names: string[]): string | undefined {
    return firstOf(names, (name) => linesOf(this.value(name)))
  }

  /** An address: a text without any control character and without blanks around it. */
  address(...names: string[]): string | undefined {
    return firstOf(names, (name) => {
      const text = textOf(this.value(name))
        ?.replaceAll(/\p{Cc}/gu, '')
        .trim()
      return text === '' ? undefined : text
    })
  }

  /** A whole number from 0. `1,234` and `1.234` are 1234. */
  count(...names: string[]): number | undefined {
    return firstOf(names, (name) => countOf(this.value(name)))
  }

  /** Whether the value says yes; false when it is missing. */
  flag(...names: string[]): boolean {
    return this.said(...names) ?? false
  }

  /** Like flag; undefined when the value is missing. */
  said(...names: string[]): boolean | undefined {
    const value = this.value(...names)
    if (value === undefined) return undefined
    if (typeof value === 'string') return !/^(?:false|no|n|off|0|null|none|-)$/i.test(value.trim())
    return Boolean(value)
  }

  /** The items of a list, or none. */
  list(...names: string[]): readonly unknown[] {
    const value = this.value(...names)
    return Array.isArray(value) ? value : []
  }

  /** The fields of an object, or none. */
  object(...names: string[]): RecordFields {
    const value = this.value(...names)
    return new RecordFields(isRecord(value) ? value : {})
  }
}

/** At most so many characters of a text; an emoji is one, as the database counts. */
export function cutText(text: string, maxLength: number): { text: string; isCut: boolean } {
  // A character has at most two units.
  const characters = Array.from(text.slice(0, 2 * maxLength + 2))
  return {
    text: characters.slice(0, maxLength).join('').trim(),
    isCut: characters.length > maxLength,
  }
}

export function isRecord(value: unknown): value is SourceRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The objects of a list. */
export function recordsIn(value: unknown): SourceRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function firstOf<Value>(
  names: readonly string[],
  read: (name: string) => Value | undefined,
): Value | undefined {
  for (const name of names) {
    const value = read(name)
    if (value !== undefined) return value
  }
  return undefined
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.toWellFormed()
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined
}

/** A text of one line: control characters become blanks. Undefined for a value that is no text, and for an empty one. */
export function lineOf(value: unknown): string | undefined {
  const line = textOf(value)
    ?.replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return line === '' ? undefined : line
}

function linesOf(value: unknown): string | undefined {
  const text = textOf(value)
    ?.replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\n\t])\p{Cc}/gu, '')
    .trim()
  return text === '' ? undefined : text
}

function countOf(value: unknown): number | undefined {
  const text = textOf(value)?.trim() ?? ''
  const plain = /^\d{1,3}(?:[,.\s]\d{3})+$/.test(text) ? text.replaceAll(/[,.\s]/g, '') : text
  if (!/^\d{1,15}(?:\.0+)?$/.test(plain)) return undefined
  return Math.trunc(Number(plain))
}
