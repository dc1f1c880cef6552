import {
  type ClickDetails,
  type ClickVerdict,
  detailNames,
  verdicts,
} from '../visitor/visitor-facts.ts'
import {
  checksum,
  fields,
  headerSizes,
  magic,
  magicOf,
  maxRecordSize,
  newestVersion,
  type RecordVersion,
  type TargetKind,
  targetKinds,
} from './click-record.ts'
import { splitNote } from './former-notes.ts'

/** Clicks in columns. Ids are 32 hexadecimal digits. */
export interface ClickColumns {
  targets: string[]
  kinds: TargetKind[]
  times: number[]
  verdicts: ClickVerdict[]
  referrers: string[]
  userAgents: string[]
  /** The queries of the short links' own addresses. */
  queries: string[]
  /** Accept-Language. */
  languages: string[]
  /** Country, region and city, separated by tabs. */
  places: string[]
  /** See {@link visitorNumber}; 0 where none is known. */
  visitors: number[]
  /** Undefined for most clicks. */
  details: (ClickDetails | undefined)[]
}

export interface Decoded {
  clicks: ClickColumns
  /** Where the next read starts. */
  end: number
  /** Damaged records that were skipped. */
  corrupt: number
  /** Intact records with a verdict or a kind that this version does not know: they count nothing. */
  unknown: number
  /** A record of a later version is at `end`: nothing after it was read. */
  newer: NewerRecord | undefined
}

export interface NewerRecord {
  version: number
  size: number
}

export const noClicks = (): ClickColumns => ({
  targets: [],
  kinds: [],
  times: [],
  verdicts: [],
  referrers: [],
  userAgents: [],
  queries: [],
  languages: [],
  places: [],
  visitors: [],
  details: [],
})

/**
 * Reads at most `maxRecords` records from the start of `bytes`, up to the first one of a later version. Damaged ones are
 * skipped and counted, and do not affect their neighbors. `isEnd` says that no more bytes follow, so that an incomplete
 * record is damaged, not just cut off.
 */
export function decodeClicks(bytes: Buffer, maxRecords: number, isEnd: boolean): Decoded {
  const clicks = noClicks()
  let corrupt = 0
  let unknown = 0
  let offset = 0
  let newer: NewerRecord | undefined
  while (offset < bytes.length && clicks.targets.length < maxRecords) {
    const size = sizeAt(bytes, offset)
    if (size > 0) {
      if (!push(clicks, bytes, offset)) unknown++
      offset += size
      continue
    }
    newer = newerAt(bytes, offset)
    if (newer || (!isEnd && mayGoOn(bytes, offset))) break
    corrupt++
    offset = nextRecord(bytes, offset + 1, isEnd)
  }
  return { clicks, end: offset, corrupt, unknown, newer }
}

/** The size of the intact record at `offset`; 0 when there is none that this version reads. */
function sizeAt(bytes: Buffer, offset: number): number {
  const version = versionAt(bytes, offset)
  if (version === undefined) return 0
  const size = bytes.readUInt16LE(offset + fields.length)
  if (size < headerSizes[version] || size > maxRecordSize || size > bytes.length - offset) return 0
  if (size !== headerSizes[version] + textBytes(bytes, offset, version)) return 0
  return isIntact(bytes, offset, size, version) ? size : 0
}

function isIntact(bytes: Buffer, offset: number, size: number, version: number): boolean {
  const found = bytes.readUInt32LE(offset + fields.crc)
  return checksum(bytes.subarray(offset, offset + size), version) === found
}

const magics = ([3, 2, 1] as const).map((version) => [magicOf(version), version] as const)

function versionAt(bytes: Buffer, offset: number): RecordVersion | undefined {
  const left = bytes.length - offset
  if (left < headerSizes[1]) return undefined
  const first = bytes.readUInt32LE(offset)
  const version = magics.find(([found]) => found === first)?.[1]
  return version === undefined || left < headerSizes[version] ? undefined : version
}

/** The version of a record that begins at `offset` and is later than any that this program knows. */
function newerVersionAt(bytes: Buffer, offset: number): number | undefined {
  if (bytes.length - offset < fields.time) return undefined
  if (!magic.equals(bytes.subarray(offset, offset + magic.length))) return undefined
  const version = (bytes[offset + magic.length] ?? 0) - zeroDigit
  return version > newestVersion && version <= 9 ? version : undefined
}

const zeroDigit = 0x30

function newerAt(bytes: Buffer, offset: number): NewerRecord | undefined {
  const version = newerVersionAt(bytes, offset)
  if (version === undefined) return undefined
  const size = bytes.readUInt16LE(offset + fields.length)
  if (size < fields.time || size > bytes.length - offset) return undefined
  return isIntact(bytes, offset, size, version) ? { version, size } : undefined
}

/** Whether the record at `offset` may only be cut off: one of a later version may have any length. */
function mayGoOn(bytes: Buffer, offset: number): boolean {
  const left = bytes.length - offset
  if (left < maxRecordSize) return true
  return (
    newerVersionAt(bytes, offset) !== undefined && bytes.readUInt16LE(offset + fields.length) > left
  )
}

function textBytes(bytes: Buffer, offset: number, version: RecordVersion): number {
  const byte = (at: number) => bytes[offset + at] ?? 0
  let sum =
    bytes.readUInt16LE(offset + fields.referrer) + bytes.readUInt16LE(offset + fields.userAgent)
  if (version === 1) return sum
  sum += bytes.readUInt16LE(offset + fields.query) + byte(fields.language) + byte(fields.place)
  if (version === 2) return sum
  for (let i = 0; i < detailNames.length; i++) sum += byte(fields.details + i)
  return sum
}

/** Where the last record in `bytes` ends, of which only zeros may be missing: they end in its last byte that is not zero. */
export function lastRecordEnd(bytes: Buffer): number {
  const zeros = Buffer.alloc(maxRecordSize)
  const whole = Buffer.concat([bytes, zeros])
  for (
    let at = bytes.lastIndexOf(magic);
    at !== -1;
    at = at === 0 ? -1 : bytes.lastIndexOf(magic, at - 1)
  ) {
    const size = sizeAt(whole, at) || (newerAt(whole, at)?.size ?? 0)
    if (size > 0) return Math.max(bytes.length, at + size)
  }
  return bytes.length
}

/** Finds the next intact record, or one that may be intact but is cut off. Adjacent damage therefore counts once. */
function nextRecord(bytes: Buffer, from: number, isEnd: boolean): number {
  for (let at = bytes.indexOf(magic, from); at !== -1; at = bytes.indexOf(magic, at + 1)) {
    if (sizeAt(bytes, at) > 0 || newerAt(bytes, at) || (!isEnd && mayGoOn(bytes, at))) return at
  }
  return isEnd ? bytes.length : Math.max(from, bytes.length - magic.length + 1)
}

/** @returns false for a verdict or a kind of a later release: it is never taken for a click that counts */
function push(clicks: ClickColumns, bytes: Buffer, offset: number): boolean {
  const kind = targetKinds[bytes[offset + fields.kind] ?? 0]
  const verdict = verdicts[bytes[offset + fields.verdict] ?? 0]
  if (kind === undefined || verdict === undefined) return false
  const version = versionAt(bytes, offset) ?? 1
  let at = offset + headerSizes[version]
  const next = (length: number, encoding: 'latin1' | 'utf8' = 'latin1') =>
    bytes.toString(encoding, at, (at += length))
  const short = (field: number) => bytes.readUInt16LE(offset + field)
  const byte = (field: number) => (version === 1 ? 0 : (bytes[offset + field] ?? 0))
  clicks.targets.push(bytes.toString('hex', offset + fields.target, offset + fields.kind))
  clicks.kinds.push(kind)
  clicks.times.push(
    short(fields.time) * 0x1_0000_0000 + bytes.readUInt32LE(offset + fields.time + 2),
  )
  clicks.verdicts.push(verdict)
  clicks.referrers.push(next(short(fields.referrer)))
  clicks.userAgents.push(next(short(fields.userAgent)))
  const text = next(version === 1 ? 0 : short(fields.query))
  clicks.languages.push(next(byte(fields.language)))
  clicks.places.push(next(byte(fields.place), 'utf8'))
  clicks.visitors.push(version === 1 ? 0 : visitorNumber(bytes, offset + fields.visitor))
  const { query, details } =
    version === 3
      ? { query: text, details: readDetails(bytes, offset, at) }
      : splitNote(text, kind === 'popup')
  clicks.queries.push(query)
  clicks.details.push(details)
  return true
}

function readDetails(bytes: Buffer, offset: number, from: number): ClickDetails | undefined {
  let details: ClickDetails | undefined
  let at = from
  for (const [i, name] of detailNames.entries()) {
    const length = bytes[offset + fields.details + i] ?? 0
    if (length === 0) continue
    details ??= {}
    details[name] = bytes.toString('latin1', at, (at += length))
  }
  return details
}

/** Visitor id: the low 53 bits of the hash, which fit a JS number. */
export function visitorNumber(hash: Uint8Array, offset = 0): number {
  const bytes = Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength)
  const high = bytes.readUInt32LE(offset + 4) & 0x1f_ffff
  return high * 0x1_0000_0000 + bytes.readUInt32LE(offset)
}
