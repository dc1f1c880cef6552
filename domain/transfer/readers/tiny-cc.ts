import type { RecordReader, SourceRecord } from '#domain/transfer/imported.ts'
import { ImportDraft } from '#domain/transfer/import-draft.ts'
import { RecordFields } from '#domain/transfer/record-fields.ts'

/** tiny.cc: its CSV, which has semicolons. */
export const tinyCcReader: RecordReader = {
  name: 'tiny.cc',
  headers: [
    ['url', 'short_id'],
    ['url', 'short_url'],
  ],
  convert(record: SourceRecord) {
    const fields = new RecordFields(record)
    const link = new ImportDraft(fields.address('url', 'long_url'))
    link.shortAddress(fields.address('short_url'))
    link.code(fields.address('short_id', 'short_url'))
    link.sourceId(fields.address('short_id', 'short_url'))
    link.text('note', fields.lines('note'))
    link.tags(fields.text('tags'))
    link.created(fields.value('created', 'created_at', 'date'))
    link.clicks(fields.count('clicks', 'hits', 'total_clicks'))
    return link.finish()
  },
}
