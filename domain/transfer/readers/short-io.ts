import { addCountryRules, addSplit, addSystemRule } from '#domain/transfer/draft-rules.ts'
import type { RecordReader, SourceRecord } from '#domain/transfer/imported.ts'
import { ImportDraft, refused, rootRefusal } from '#domain/transfer/import-draft.ts'
import { RecordFields } from '#domain/transfer/record-fields.ts'
import { formerAddressOf } from '#domain/transfer/former-address.ts'
import { listIn } from './list-in.ts'

/** Short.io: the links of `GET /api/links`. The reader of the API adds `domainName`. */
export const shortIoReader: RecordReader = {
  name: 'Short.io',
  headers: [['originalURL', 'path']],
  recordsOf: (json) => listIn(json, ['links'], ['originalURL', 'path']),
  convert(record: SourceRecord) {
    const fields = new RecordFields(record)
    const path = fields.address('path')?.replaceAll(/^\/+|\/+$/g, '') ?? ''
    const short = fields.address('shortURL', 'secureShortURL')
    const domain = fields.address('domainName')
    if (path === '') return refused(rootRefusal, short ?? domain ?? fields.address('originalURL'))
    const link = new ImportDraft(fields.address('originalURL'))
    link.shortAddress(short)
    link.shortAddress(formerAddressOf(domain, path))
    link.code(path)
    link.sourceId(fields.text('idString', 'id'))
    link.text('title', fields.text('title'))
    link.tags(fields.list('tags'))
    link.created(fields.value('createdAt'))
    link.clicks(fields.count('clicks', 'totalClicks'))
    link.archive(fields.flag('archived'), fields.value('updatedAt'))
    // By default Short.io adds the query of a visit to the destination.
    if (fields.said('skipQS') === false) link.forwardQuery(false)
    readEnd(fields, link)
    addSystemRule(link, 'ios', fields.address('iphoneURL'))
    addSystemRule(link, 'android', fields.address('androidURL'))
    addCountryRules(link, fields.value('geo', 'countryTargets'))
    readSplit(fields, link)
    readLosses(fields, link)
    return link.finish()
  },
}

/** `ttl` is the moment at which Short.io deletes the link. */
function readEnd(fields: RecordFields, link: ImportDraft): void {
  link.ends(fields.value('expiresAt'))
  link.ends(fields.value('ttl'))
  link.fallback(fields.address('expiredURL'))
  const limit = fields.value('clicksLimit')
  link.maxClicks(limit, fields.count('clicksLimit'), fields.count('clicks', 'totalClicks'))
  const password = fields.value('password') ?? false
  if (password !== false || fields.flag('hasPassword')) link.disable('password')
  if (fields.flag('passwordContact')) link.disable('password by email')
}

function readSplit(fields: RecordFields, link: ImportDraft): void {
  const url = fields.address('splitURL')
  if (url === undefined) return
  const percent = fields.count('splitPercent') ?? 0
  addSplit(link, 100 - percent, [{ url, percent }])
}

const lossNames: Readonly<Record<string, string>> = {
  cloaking: 'cloaking',
  integrationGA: 'tracking by Google Analytics',
  integrationFB: 'tracking pixel of Facebook',
  integrationAdroll: 'tracking pixel of AdRoll',
  integrationGTM: 'tracking by Google Tag Manager',
  folderId: 'folder',
}

function readLosses(fields: RecordFields, link: ImportDraft): void {
  for (const [name, loss] of Object.entries(lossNames)) if (fields.flag(name)) link.lose(loss)
}
