import { crc32 } from 'node:zlib'
import {
  type ClickVerdict,
  maxNoteBytes,
  maxTextBytes,
  type Visitor,
  verdicts,
} from './visitor/visitor-facts.ts'

/** Kind of a target; the journal stores the index. With 'popup' the query is a note (popup-note.ts). */
export const targetKinds = ['link', 'bio', 'bio_link', 'popup'] as const
export type TargetKind = (typeof targetKinds)[number]

// A record: magic 4 | crc32 4 of the bytes after it | length 2 of the whole record | epoch ms 2 + 4 | target 16 |
// kind 1 | verdict 1 | lengths of the texts: referrer 2, user agent 2, query 2, language 1, place 1 | visitor 8 | the texts.
// Little endian; texts are ASCII but for the place, which is UTF-8. The magic lets a reader find the next record after a
// damaged one. Version 1 ended after the user agent and had no query, language, place and visitor.
const magic = Buffer.from('HPL', 'latin1')
const magicOf = { 1: number('HPL1'), 2: number('HPL2') }
const headerSizes = { 1: 38, 2: 50 }
const headerSize = headerSizes[2]
const crcFrom = 8

/** The length of the longest record. */
export const maxRecordSize =
  headerSize + Object.values(maxTextBytes).reduce((sum, bytes) => sum + bytes, maxNoteBytes)

/**
 * Writes one record at `offset`, which must leave {@link maxRecordSize} bytes.
 *
 * @param target a UUID
 * @returns where the next record starts
 */
export function encodeClick(
  buffer: Buffer,
  offset: number,
  at: number,
  kind: TargetKind,
  target: string,
  { verdict, browser, referrer, query, language, identity }: Visitor,
): number {
  const { userAgent } = browser
  const { place, hash } = identity
  let end = offset + headerSize
  buffer.writeUInt16LE(Math.floor(at / 0x1_0000_0000), offset + 10)
  buffer.writeUInt32LE(at % 0x1_0000_0000, offset + 12)
  writeUuid(buffer, offset + 16, target)
  buffer[offset + 32] = targetKinds.indexOf(kind)
  buffer[offset + 33] = verdicts.indexOf(verdict)
  buffer.writeUInt16LE(referrer.length, offset + 34)
  buffer.writeUInt16LE(userAgent.length, offset + 36)
  buffer.writeUInt16LE(query.length, offset + 38)
  buffer[offset + 40] = language.length
  buffer[offset + 41] = place.length
  for (let i = 0; i < 8; i++) buffer[offset + 42 + i] = hash[i] ?? 0
  if (referrer.length > 0) end += buffer.write(referrer, end, 'latin1')
  buffer.set(userAgent, end)
  end += userAgent.length
  if (query.length > 0) end += buffer.write(query, end, 'latin1')
  if (language.length > 0) end += buffer.write(language, end, 'latin1')
  if (place.length > 0) buffer.set(place, end)
  end += place.length
  buffer.writeUInt32LE(magicOf[2], offset)
  buffer.writeUInt16LE(end - offset, offset + 8)
  buffer.writeUInt32LE(crc32(buffer.subarray(offset + crcFrom, end)), offset + 4)
  return end
}

/** The 16 bytes of a UUID, without another string or buffer for each visit. */
function writeUuid(buffer: Buffer, offset: number, uuid: string): void {
  let at = 0
  for (let i = 0; i < 16; i++) {
    if (uuid.charCodeAt(at) === hyphen) at++
    buffer[offset + i] = (hexDigit(uuid.charCodeAt(at++)) << 4) | hexDigit(uuid.charCodeAt(at++))
  }
}

const hyphen = 0x2d

function hexDigit(code: number): number {
  const digit = code | 0x20
  return digit > 0x39 ? digit - 0x57 : digit - 0x30
}

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
}

export interface Decoded {
  clicks: ClickColumns
  /** Where the next read starts. */
  end: number
  /** Damaged records that were skipped. */
  corrupt: number
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
})

/**
 * Reads at most `maxRecords` records from the start of `bytes`. Damaged ones are skipped and counted, and do not affect
 * their neighbors. `isEnd` says that no more bytes follow, so that an incomplete record is damaged, not just cut off.
 */
export function decodeClicks(bytes: Buffer, maxRecords: number, isEnd: boolean): Decoded {
  const clicks = noClicks()
  let corrupt = 0
  let offset = 0
  while (offset < bytes.length && clicks.targets.length < maxRecords) {
    const size = sizeAt(bytes, offset)
    if (size > 0) {
      push(clicks, bytes, offset)
      offset += size
      continue
    }
    if (!isEnd && bytes.length - offset < maxRecordSize) break
    corrupt++
    offset = nextRecord(bytes, offset + 1, isEnd)
  }
  return { clicks, end: offset, corrupt }
}

/** The size of the intact record at `offset`; 0 when there is none. */
function sizeAt(bytes: Buffer, offset: number): number {
  const version = versionAt(bytes, offset)
  if (version === undefined) return 0
  const size = bytes.readUInt16LE(offset + 8)
  if (size < headerSizes[version] || size > maxRecordSize || size > bytes.length - offset) return 0
  if (size !== headerSizes[version] + textBytes(bytes, offset, version)) return 0
  const crc = crc32(bytes.subarray(offset + crcFrom, offset + size))
  return crc === bytes.readUInt32LE(offset + 4) ? size : 0
}

function versionAt(bytes: Buffer, offset: number): 1 | 2 | undefined {
  const left = bytes.length - offset
  if (left < headerSizes[1]) return undefined
  const found = bytes.readUInt32LE(offset)
  if (found === magicOf[2]) return left < headerSizes[2] ? undefined : 2
  return found === magicOf[1] ? 1 : undefined
}

function textBytes(bytes: Buffer, offset: number, version: 1 | 2): number {
  const first = bytes.readUInt16LE(offset + 34) + bytes.readUInt16LE(offset + 36)
  if (version === 1) return first
  return (
    first + bytes.readUInt16LE(offset + 38) + (bytes[offset + 40] ?? 0) + (bytes[offset + 41] ?? 0)
  )
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
    const size = sizeAt(whole, at)
    if (size > 0) return Math.max(bytes.length, at + size)
  }
  return bytes.length
}

/** Finds the next intact record, or one that may be intact but is cut off. Adjacent damage therefore counts once. */
function nextRecord(bytes: Buffer, from: number, isEnd: boolean): number {
  for (let at = bytes.indexOf(magic, from); at !== -1; at = bytes.indexOf(magic, at + 1)) {
    if (sizeAt(bytes, at) > 0 || (!isEnd && bytes.length - at < maxRecordSize)) return at
  }
  return isEnd ? bytes.length : Math.max(from, bytes.length - magic.length + 1)
}

function push(clicks: ClickColumns, bytes: Buffer, offset: number): void {
  const isNew = versionAt(bytes, offset) === 2
  const referrerAt = offset + (isNew ? headerSizes[2] : headerSizes[1])
  const userAgentAt = referrerAt + bytes.readUInt16LE(offset + 34)
  const queryAt = userAgentAt + bytes.readUInt16LE(offset + 36)
  const languageAt = isNew ? queryAt + bytes.readUInt16LE(offset + 38) : queryAt
  const placeAt = isNew ? languageAt + (bytes[offset + 40] ?? 0) : queryAt
  const end = offset + bytes.readUInt16LE(offset + 8)
  clicks.targets.push(bytes.toString('hex', offset + 16, offset + 32))
  clicks.kinds.push(targetKinds[bytes[offset + 32] ?? 0] ?? 'link')
  clicks.times.push(
    bytes.readUInt16LE(offset + 10) * 0x1_0000_0000 + bytes.readUInt32LE(offset + 12),
  )
  clicks.verdicts.push(verdicts[bytes[offset + 33] ?? 0] ?? 'counted')
  clicks.referrers.push(bytes.toString('latin1', referrerAt, userAgentAt))
  clicks.userAgents.push(bytes.toString('latin1', userAgentAt, queryAt))
  clicks.queries.push(bytes.toString('latin1', queryAt, languageAt))
  clicks.languages.push(bytes.toString('latin1', languageAt, placeAt))
  clicks.places.push(bytes.toString('utf8', placeAt, end))
  clicks.visitors.push(isNew ? visitorNumber(bytes, offset + 42) : 0)
}

/** Visitor id: the low 53 bits of the hash, which fit a JS number. */
export function visitorNumber(hash: Uint8Array, offset = 0): number {
  const bytes = Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength)
  const high = bytes.readUInt32LE(offset + 4) & 0x1f_ffff
  return high * 0x1_0000_0000 + bytes.readUInt32LE(offset)
}

function number(text: string): number {
  return Buffer.from(text, 'latin1').readUInt32LE(0)
}
