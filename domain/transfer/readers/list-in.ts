import { columnKey, type SourceRecord } from '#domain/transfer/imported.ts'
import { isRecord, recordsIn } from '#domain/transfer/record-fields.ts'

/** Rows looked at to recognize a file. */
const sampleRows = 20

/**
 * The records of a JSON file: the file itself is the list, or one of the paths leads to it. Undefined when none of the first ones has
 * all fields of `has`.
 */
export function listIn(
  json: unknown,
  paths: readonly string[],
  has: readonly string[],
): SourceRecord[] | undefined {
  for (const value of [json, ...paths.map((path) => valueAt(json, path))]) {
    const records = recordsIn(value)
    if (records.slice(0, sampleRows).some((record) => hasFields(record, has))) return records
  }
  return undefined
}

function hasFields(record: SourceRecord, fields: readonly string[]): boolean {
  const keys = new Set(Object.keys(record).map(columnKey))
  return fields.every((field) => keys.has(columnKey(field)))
}

function valueAt(json: unknown, path: string): unknown {
  let value = json
  for (const key of path.split('.'))
    value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return value
}
