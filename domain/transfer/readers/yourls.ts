import type { RecordReader, SourceRecord } from '#domain/transfer/imported.ts'
import { ImportDraft } from '#domain/transfer/import-draft.ts'
import { isRecord, RecordFields } from '#domain/transfer/record-fields.ts'
import { listIn } from './list-in.ts'

/** YOURLS: the links of the action `stats`, a CSV of a plugin, and the columns of its table. Addresses of visitors are never read. */
export const yourlsReader: RecordReader = {
  name: 'YOURLS',
  headers: [
    ['source', 'target', 'hits'],
    ['keyword', 'url', 'timestamp'],
    ['shorturl', 'url', 'timestamp'],
  ],
  recordsOf(json) {
    const links = isRecord(json) ? json['links'] : undefined
    const list = isRecord(links) ? Object.values(links) : json
    return (
      listIn(list, [], ['shorturl', 'url', 'timestamp']) ??
      listIn(list, [], ['keyword', 'url', 'timestamp'])
    )
  },
  convert(record: SourceRecord) {
    const fields = new RecordFields(record)
    const url = fields.address('url', 'target')
    const link = new ImportDraft(url)
    link.shortAddress(fields.address('shorturl'))
    // The plugin writes `/keyword/`.
    const keyword = fields.address('keyword', 'source')?.replaceAll(/^\/+|\/+$/g, '')
    link.code(keyword)
    link.sourceId(fields.address('shorturl') ?? keyword)
    const title = fields.text('title')
    // YOURLS takes the address for a title when it finds none.
    if (title !== url) link.text('title', title)
    link.created(fields.value('timestamp'))
    link.clicks(fields.count('clicks', 'hits'))
    return link.finish()
  },
}
