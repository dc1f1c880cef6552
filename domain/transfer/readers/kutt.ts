import type { RecordReader, SourceRecord } from '#domain/transfer/imported.ts'
import { ImportDraft } from '#domain/transfer/import-draft.ts'
import { RecordFields } from '#domain/transfer/record-fields.ts'
import { formerAddressOf } from '#domain/transfer/former-address.ts'
import { linkTexts } from '#domain/links/link-limits.ts'
import { listIn } from './list-in.ts'

/** Kutt: the links of `GET /api/v2/links`. */
export const kuttReader: RecordReader = {
  name: 'Kutt',
  headers: [['address', 'target']],
  recordsOf: (json) => listIn(json, ['data'], ['address', 'target']),
  convert(record: SourceRecord) {
    const fields = new RecordFields(record)
    const link = new ImportDraft(fields.address('target'))
    link.shortAddress(fields.address('link'))
    link.shortAddress(formerAddressOf(fields.address('domain'), fields.address('address')))
    link.code(fields.address('address'))
    link.sourceId(fields.text('id'))
    readDescription(fields, link)
    link.created(fields.value('created_at'))
    link.clicks(fields.count('visit_count'))
    link.ends(fields.value('expire_in'))
    if (fields.flag('password')) link.disable('password')
    if (fields.flag('banned')) link.disable('ban')
    return link.finish()
  },
}

/** Kutt has one text for a link. It is a title unless it is too long for one. */
function readDescription(fields: RecordFields, link: ImportDraft): void {
  const line = fields.text('description')
  const isTitle = Array.from(line ?? '').length <= linkTexts.title.maxLength
  if (isTitle) link.text('title', line)
  else link.text('note', fields.lines('description'))
}
