import { addCountryRules, addSplit, addSystemRule } from '#domain/transfer/draft-rules.ts'
import type { RecordReader, SourceRecord } from '#domain/transfer/imported.ts'
import { ImportDraft, refused, rootRefusal } from '#domain/transfer/import-draft.ts'
import { readInstant } from '#domain/transfer/read-instant.ts'
import { RecordFields, recordsIn } from '#domain/transfer/record-fields.ts'
import { formerAddressOf } from '#domain/transfer/former-address.ts'
import { listIn } from './list-in.ts'

/** Dub: its CSV, and the links of `GET /links`. */
export const dubReader: RecordReader = {
  name: 'Dub',
  headers: [['Short link', 'Destination URL']],
  recordsOf: (json) => listIn(json, ['links', 'data'], ['shortLink', 'url', 'key']),
  convert(record: SourceRecord) {
    const fields = new RecordFields(record)
    if (fields.address('key') === '_root') return refused(rootRefusal, fields.address('domain'))
    const link = new ImportDraft(fields.address('url', 'Destination URL'))
    link.shortAddress(fields.address('shortLink'))
    link.shortAddress(formerAddressOf(fields.address('domain'), fields.address('key')))
    link.sourceId(fields.text('id', 'Link ID'))
    link.externalId(fields.text('externalId'))
    link.text('title', fields.text('title'))
    link.text('note', fields.lines('comments'))
    link.tags(tagsOf(fields))
    link.created(fields.value('createdAt'))
    link.clicks(fields.count('clicks'))
    link.archive(fields.flag('archived'), fields.value('updatedAt'))
    // Dub adds the query of a visit to the destination, and it wins there (its get-final-url.ts).
    link.forwardQuery(true)
    readPreview(fields, link)
    readEnd(fields, link)
    addSystemRule(link, 'ios', fields.address('ios'))
    addSystemRule(link, 'android', fields.address('android'))
    addCountryRules(link, fields.value('geo'))
    readSplit(fields, link)
    readLosses(fields, link)
    return link.finish()
  },
}

function tagsOf(fields: RecordFields): readonly unknown[] | string | undefined {
  const list = fields.list('tags', 'tagNames')
  if (list.length === 0) return fields.text('tags')
  return list.map((tag) => (typeof tag === 'string' ? tag : recordsIn([tag])[0]?.['name']))
}

/** Only a link with `proxy` shows this preview; others have the one of their destination. */
function readPreview(fields: RecordFields, link: ImportDraft): void {
  if (!fields.flag('proxy')) return
  link.text('preview_title', fields.text('title'))
  link.text('preview_description', fields.text('description'))
  link.previewImage(fields.address('image'))
  if (fields.value('video') !== undefined) link.lose('preview video')
}

function readEnd(fields: RecordFields, link: ImportDraft): void {
  link.ends(fields.value('expiresAt'))
  link.fallback(fields.address('expiredUrl'))
  if (fields.value('password') !== undefined) link.disable('password')
  if (fields.value('disabledAt') !== undefined) link.disable()
}

/** The variant with the address of the link is our own one. */
function readSplit(fields: RecordFields, link: ImportDraft): void {
  const variants = recordsIn(fields.value('testVariants')).map(
    (variant) => new RecordFields(variant),
  )
  const completed = readInstant(fields.value('testCompletedAt'))
  if (variants.length === 0 || (completed !== undefined && Date.parse(completed) <= Date.now()))
    return
  const url = fields.address('url')
  const own = variants.findIndex((variant) => variant.address('url') === url)
  const others = variants.filter((_, i) => i !== own)
  const share = variants[own]?.count('percentage')
  if (share === undefined) return link.lose('split test')
  addSplit(
    link,
    share,
    others.map((each) => ({ url: each.address('url'), percent: each.count('percentage') })),
  )
}

const lossNames: Readonly<Record<string, string>> = {
  rewrite: 'cloaking',
  trackConversion: 'conversion tracking',
  publicStats: 'public statistics',
  folderId: 'folder',
  partnerId: 'partner',
  doIndex: 'indexing by search engines',
}

function readLosses(fields: RecordFields, link: ImportDraft): void {
  for (const [name, loss] of Object.entries(lossNames)) if (fields.flag(name)) link.lose(loss)
}
