import { createPostgresStore } from '#server/analytics/store/postgres-store.ts'
import type { PreparedHits } from '#server/analytics/store/store.ts'
import { createLog } from '#server/log.ts'
import type { Database } from '#server/postgres/database.ts'
import { checksum, encodeClick, fields, maxRecordSize } from '#server/visits/record/click-record.ts'
import { type ClickColumns, noClicks } from '#server/visits/record/decode-clicks.ts'
import type { TestDatabase } from '#test/database.ts'
import type { Visitor } from '#server/visits/visitor/visitor-facts.ts'

/** A visitor without known facts. */
export const plainVisitor: Visitor = {
  verdict: 'counted',
  browser: { isBot: false, userAgent: Buffer.from('Mozilla/5.0 (X11; Linux x86_64)') },
  referrer: '',
  query: '',
  language: '',
  identity: { hash: Buffer.alloc(8), place: Buffer.alloc(0) },
}

/** Records of `count` clicks on a link, now. */
export function clickRecords(link: string, count: number): Buffer {
  const bytes = Buffer.alloc(count * maxRecordSize)
  let size = 0
  for (let i = 0; i < count; i++)
    size = encodeClick(bytes, size, Date.now(), 'link', link, plainVisitor)
  return bytes.subarray(0, size)
}

/** A record as a release with version 4 may write it: with fields, texts and a length that this one does not know. */
export function newerRecord(size: number): Buffer {
  const bytes = Buffer.alloc(size, 7)
  bytes.write('HPL4', 'latin1')
  bytes.writeUInt16LE(size, fields.length)
  bytes.writeUInt32LE(checksum(bytes, 4), fields.crc)
  return bytes
}

/** One click on each of these links, now. */
export function clicksOn(ids: readonly string[]): ClickColumns {
  const clicks = noClicks()
  for (const id of ids) {
    clicks.targets.push(id.replaceAll('-', ''))
    clicks.kinds.push('link')
    clicks.times.push(Date.now())
    clicks.verdicts.push('counted')
    for (const texts of [clicks.referrers, clicks.userAgents, clicks.queries]) texts.push('')
    clicks.languages.push('')
    clicks.places.push('')
    clicks.visitors.push(0)
    clicks.details.push(undefined)
  }
  return clicks
}

export const hitStoreOf = (database: Database) =>
  createPostgresStore({ database, log: createLog('silent') })

export const prepare = (database: Database, clicks: ClickColumns): Promise<PreparedHits> =>
  hitStoreOf(database).prepare(clicks)

export interface StoredHit {
  at: Date
  verdict: string
  source: string
  visitor: string
  referrer: string
  page: string
  utm_source: string
  country: string
  device: string
  browser: string
  system: string
  language: string
  bot: string
}

/** What is stored of the hits of a link, a bio page or one of its links, the oldest first. */
export const hitsOf = (sql: TestDatabase['sql'], ref: string): Promise<StoredHit[]> =>
  sql(
    `select e.at, app.click_word('verdict', e.verdict::text) as verdict, app.click_word('source', e.source::text) as source,
        e.visitor, o.referrer, o.page, o.utm_source, p.country, c.device, c.browser, c.system, c.language, c.bot
      from app.click_events e join app.click_scopes s on s.id = e.scope join app.click_origins o on o.id = e.origin
        join app.click_places p on p.id = e.place join app.click_clients c on c.id = e.client
      where s.ref = $1 order by e.at`,
    [ref],
  )
