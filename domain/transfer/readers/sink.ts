import { addCountryRules, addSystemRule } from '#domain/transfer/draft-rules.ts'
import type { RecordReader, SourceRecord } from '#domain/transfer/imported.ts'
import { ImportDraft } from '#domain/transfer/import-draft.ts'
import { RecordFields } from '#domain/transfer/record-fields.ts'
import { listIn } from './list-in.ts'

/** Sink: the file of its export (`GET /api/link/export`). */
export const sinkReader: RecordReader = {
  name: 'Sink',
  recordsOf: (json) => listIn(json, ['links'], ['slug', 'url']),
  convert(record: SourceRecord) {
    const fields = new RecordFields(record)
    const link = new ImportDraft(fields.address('url'))
    link.code(fields.address('slug'))
    link.sourceId(fields.text('id') ?? fields.address('slug'))
    link.text('title', fields.text('title'))
    link.text('note', fields.lines('comment'))
    // There these are the preview in chats.
    link.text('preview_title', fields.text('title'))
    link.text('preview_description', fields.text('description'))
    link.previewImage(fields.address('image'))
    link.tags(fields.list('tags'))
    link.created(fields.value('createdAt'))
    link.ends(fields.value('expiration'))
    if (fields.flag('redirectWithQuery')) link.forwardQuery(false)
    if (fields.value('password') !== undefined) link.disable('password')
    if (fields.flag('cloaking')) link.lose('cloaking')
    if (fields.flag('unsafe')) link.lose('warning page')
    addSystemRule(link, 'ios', fields.address('apple'))
    addSystemRule(link, 'android', fields.address('google'))
    addCountryRules(link, fields.value('geo'))
    return link.finish()
  },
}
