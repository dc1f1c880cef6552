import type { RecordReader, SourceRecord } from '#domain/transfer/imported.ts'
import { ImportDraft, refused } from '#domain/transfer/import-draft.ts'
import { lineOf, RecordFields, recordsIn } from '#domain/transfer/record-fields.ts'
import { listIn } from './list-in.ts'

const shortNames = ['custom_bitlink', 'bitlink', 'link', 'short_link', 'short_url', 'id']

/** Bitly: its CSV, and the links of `GET /v4/groups/{guid}/bitlinks`. */
export const bitlyReader: RecordReader = {
  name: 'Bitly',
  headers: [
    ['long_url', 'custom_bitlink'],
    ['long_url', 'bitlink'],
    ['long_url', 'title', 'archived'],
    ['long_url', 'title'],
  ],
  recordsOf: (json) => listIn(json, ['links'], ['long_url', 'link']),
  convert(record: SourceRecord) {
    const fields = new RecordFields(record)
    const [custom, ...further] = fields
      .list('custom_bitlinks')
      .flatMap((each) => lineOf(each) ?? [])
    const short = custom ?? fields.address(...shortNames)
    if (fields.flag('is_deleted')) return refused('It was deleted at Bitly', short)
    const link = new ImportDraft(fields.address('long_url'))
    link.shortAddress(short)
    link.sourceId(fields.address('id', 'link', ...shortNames))
    if (further.length > 0) link.lose('further short addresses')
    link.text('title', fields.text('title'))
    link.tags(tagsOf(fields))
    link.created(fields.value('created_at', 'date_created', 'created'))
    link.clicks(fields.count('clicks', 'total_clicks', 'engagements'))
    link.archive(fields.flag('archived'), fields.value('modified_at'))
    link.ends(fields.value('expiration_at', 'expires_at'))
    for (const deepLink of recordsIn(record['deeplinks'])) {
      const system = new RecordFields(deepLink).text('os', 'app_os')?.toLowerCase()
      if (system === 'ios' || system === 'iphone' || system === 'ipad')
        link.lose('deep link for iOS')
      else if (system === 'android') link.lose('deep link for Android')
      else link.lose('deep link')
    }
    return link.finish()
  },
}

function tagsOf(fields: RecordFields): readonly unknown[] | string | undefined {
  const list = fields.list('tags')
  return list.length > 0 ? list : fields.text('tags')
}
