import { convertShlinkRules, type ShlinkRule } from '#domain/visits/shlink-rules.ts'
import { addSystemRule } from '#domain/transfer/draft-rules.ts'
import type { RecordReader, SourceRecord } from '#domain/transfer/imported.ts'
import { ImportDraft } from '#domain/transfer/import-draft.ts'
import { RecordFields, recordsIn } from '#domain/transfer/record-fields.ts'
import { formerAddressOf } from '#domain/transfer/former-address.ts'
import { listIn } from './list-in.ts'

/**
 * Shlink: the CSV of its web client, and the short URLs of its API. The reader of the API adds their redirect rules as
 * `redirectRules`, as `GET …/redirect-rules` answers them.
 */
export const shlinkReader: RecordReader = {
  name: 'Shlink',
  headers: [
    ['longUrl', 'shortUrl', 'shortCode', 'domain'],
    ['longUrl', 'shortUrl', 'title'],
    ['longUrl', 'shortUrl'],
    ['longUrl', 'shortCode'],
  ],
  recordsOf: (json) => listIn(json, ['shortUrls.data', 'data'], ['shortCode', 'longUrl']),
  convert(record: SourceRecord) {
    const fields = new RecordFields(record)
    const link = new ImportDraft(fields.address('longUrl'))
    const code = fields.address('shortCode')
    link.shortAddress(fields.address('shortUrl'))
    link.shortAddress(formerAddressOf(fields.address('domain'), code))
    link.code(code)
    link.sourceId(fields.address('shortUrl') ?? code)
    link.text('title', fields.text('title'))
    const tags = fields.list('tags')
    link.tags(tags.length > 0 ? tags : fields.text('tags'))
    link.created(fields.value('dateCreated', 'createdAt'))
    const clicks =
      fields.object('visitsSummary').count('total') ?? fields.count('visits', 'visitsCount')
    link.clicks(clicks)
    if (fields.flag('forwardQuery')) link.forwardQuery(false)
    const meta = fields.object('meta')
    link.starts(meta.value('validSince'))
    link.ends(meta.value('validUntil'))
    link.maxClicks(meta.value('maxVisits'), meta.count('maxVisits'), clicks)
    readRules(fields, link)
    return link.finish()
  },
}

function readRules(fields: RecordFields, link: ImportDraft): void {
  const device = fields.object('deviceLongUrls')
  addSystemRule(link, 'ios', device.address('ios'))
  addSystemRule(link, 'android', device.address('android'))
  if (device.value('desktop') !== undefined) link.lose('target for computers')
  const written = fields.value('redirectRules')
  if (written === undefined) {
    if (fields.flag('hasRedirectRules')) link.lose('redirect rules')
    return
  }
  const { rules, notices } = convertShlinkRules(recordsIn(written).map(ruleOf))
  link.rules(...rules)
  if (notices.length > 0) link.lose('redirect rules that match no visit')
}

function ruleOf(record: SourceRecord): ShlinkRule {
  const fields = new RecordFields(record)
  return {
    longUrl: fields.address('longUrl') ?? '',
    priority: fields.count('priority'),
    conditions: recordsIn(fields.value('conditions')).map((each) => {
      const condition = new RecordFields(each)
      return {
        type: condition.text('type') ?? '',
        matchKey: condition.text('matchKey'),
        matchValue: condition.text('matchValue'),
      }
    }),
  }
}
