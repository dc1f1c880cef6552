import type { RecordReader, SourceRecord } from '#domain/transfer/imported.ts'
import { columnKey } from '#domain/transfer/imported.ts'
import { ImportDraft } from '#domain/transfer/import-draft.ts'
import { RecordFields } from '#domain/transfer/record-fields.ts'

/** Fields that a person can give a column of an unknown file. `code` may be a whole short address. */
export const mappedFields = [
  'url',
  'code',
  'title',
  'note',
  'tags',
  'created_at',
  'clicks',
] as const
export type MappedField = (typeof mappedFields)[number]

/** The column of each field: its name, or its index from 0. */
export type ColumnMap = Partial<Record<MappedField, string | number>>

/**
 * Reads a file with columns that a person has mapped.
 *
 * @param keys those of the columns of the file, from `columnKeysOf`
 */
export function mappedReader(map: ColumnMap, keys: readonly string[]): RecordReader {
  return {
    name: 'your columns',
    convert(record: SourceRecord) {
      const picked = mappedFields.flatMap((field) => {
        const column = map[field]
        const key = typeof column === 'number' ? keys[column] : column && columnKey(column)
        return key === undefined ? [] : [[field, record[key]] as const]
      })
      const fields = new RecordFields(Object.fromEntries(picked))
      const link = new ImportDraft(fields.address('url'))
      const code = fields.address('code')
      link.code(code)
      link.text('title', fields.text('title'))
      link.text('note', fields.lines('note'))
      link.tags(fields.text('tags'))
      link.created(fields.value('created_at'))
      link.clicks(fields.count('clicks'))
      return link.finish()
    },
  }
}
