import type { RecordReader, SourceRecord } from '#domain/transfer/imported.ts'
import { ImportDraft } from '#domain/transfer/import-draft.ts'
import { RecordFields, recordsIn } from '#domain/transfer/record-fields.ts'
import { formerAddressOf } from '#domain/transfer/former-address.ts'
import { listIn } from './list-in.ts'

/** Rebrandly: the links of `GET /v1/links`. */
export const rebrandlyReader: RecordReader = {
  name: 'Rebrandly',
  headers: [['slashtag', 'destination']],
  recordsOf: (json) => listIn(json, ['links'], ['slashtag', 'destination']),
  convert(record: SourceRecord) {
    const fields = new RecordFields(record)
    const link = new ImportDraft(fields.address('destination'))
    const slashtag = fields.address('slashtag')
    const domain = fields.address('domainName') ?? fields.object('domain').address('fullName')
    link.shortAddress(fields.address('shortUrl'))
    link.shortAddress(formerAddressOf(domain, slashtag))
    link.code(slashtag)
    link.sourceId(fields.text('id'))
    link.text('title', fields.text('title'))
    link.text('note', fields.lines('description'))
    link.tags(recordsIn(fields.value('tags')).map(({ name }) => name))
    link.created(fields.value('createdAt'))
    link.clicks(fields.count('clicks'))
    link.ends(fields.value('expiredAt'))
    if (fields.flag('forwardParameters')) link.forwardQuery(false)
    if (fields.flag('favourite')) link.lose('favorite')
    const status = fields.text('status')?.toLowerCase() ?? 'active'
    if (status !== 'active') link.disable()
    if (fields.flag('isPasswordProtected')) link.disable('password')
    return link.finish()
  },
}
