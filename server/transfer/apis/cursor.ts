import { isRecord } from '#domain/transfer/record-fields.ts'
import { parseJson } from '../../primitives/parse-json.ts'

/** The state of a reader in a cursor; an empty object at the start, and for a text that is no cursor. */
export function readCursor(cursor: string | undefined): Readonly<Record<string, unknown>> {
  const state = cursor === undefined ? undefined : parseJson(cursor)
  return isRecord(state) ? state : {}
}

/** A whole number of a cursor's state, else 0. */
export function cursorNumber(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : 0
}

/** A text of a cursor's state or of an answer; undefined when it is missing or empty. */
export function cursorText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}
