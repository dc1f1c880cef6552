import { crc32 } from 'node:zlib'
import {
  type ClickVerdict,
  detailNames,
  maxDetailBytes,
  maxTextBytes,
  type Visitor,
  verdicts,
} from '../visitor/visitor-facts.ts'
import { maxNoteBytes, queryWithNote } from './former-notes.ts'

/** Kind of a target; a record has the index. */
export const targetKinds = ['link', 'bio', 'bio_link', 'popup'] as const
export type TargetKind = (typeof targetKinds)[number]

// A record: magic 4 | crc32 4 of the bytes after it | length 2 of the whole record | epoch ms 2 + 4 | target 16 |
// kind 1 | verdict 1 | lengths of the texts: referrer 2, user agent 2, query 2, language 1, place 1 | visitor 8 |
// lengths of the details, 1 each: rule, variant, action, surface, placement, block | the texts, then the details.
// Little endian; texts are ASCII but for the place, which is UTF-8. The magic lets a reader find the next record after a
// damaged one; its last character is the version. Every version has magic, checksum and length at these places, and from
// version 3 on the checksum includes the magic, so that a damaged version is no other version.
// Version 2 has no details: those of a click are a note in its query. Version 1 ended after the user agent and had no
// query, language, place and visitor.

/** The newest version, which this release reads. It writes 2 while another server reads no more (record-version.ts). */
export const newestVersion = 3
export type RecordVersion = 1 | 2 | 3
export type WrittenVersion = 2 | 3

export const magic = Buffer.from('HPL', 'latin1')
export const headerSizes: Readonly<Record<RecordVersion, number>> = { 1: 38, 2: 50, 3: 56 }
/** Where each field begins in a record. */
export const fields = {
  crc: 4,
  length: 8,
  time: 10,
  target: 16,
  kind: 32,
  verdict: 33,
  referrer: 34,
  userAgent: 36,
  query: 38,
  language: 40,
  place: 41,
  visitor: 42,
  details: 50,
} as const

const textsSize = Object.values(maxTextBytes).reduce((sum, bytes) => sum + bytes, 0)
/** The length of the longest record. */
export const maxRecordSize = headerSizes[3] + textsSize + detailNames.length * maxDetailBytes
/** Release 1.0 takes a longer record for a damaged one. */
const maxRecordSize2 = headerSizes[2] + textsSize

/** The verdicts of release 1.0, which counts others. */
type FormerVerdict =
  | 'counted'
  | 'head'
  | 'prefetch'
  | 'bot'
  | 'password'
  | 'preview_page'
  | 'not_yet'
  | 'ended'
/** The verdicts that version 2 has in the place of later ones. */
const formerVerdicts: Readonly<Record<Exclude<ClickVerdict, FormerVerdict>, FormerVerdict>> = {}

const magics = { 2: magicOf(2), 3: magicOf(3) }

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
  visitor: Visitor,
  version: WrittenVersion = newestVersion,
): number {
  const { browser, referrer, language, identity, details } = visitor
  const { userAgent } = browser
  const { place, hash } = identity
  const query = version === 2 ? formerQuery(visitor) : visitor.query
  const verdict = version === 2 ? formerVerdict(visitor.verdict) : visitor.verdict
  let end = offset + headerSizes[version]
  buffer.writeUInt16LE(Math.floor(at / 0x1_0000_0000), offset + fields.time)
  buffer.writeUInt32LE(at % 0x1_0000_0000, offset + fields.time + 2)
  writeUuid(buffer, offset + fields.target, target)
  buffer[offset + fields.kind] = targetKinds.indexOf(kind)
  buffer[offset + fields.verdict] = verdicts.indexOf(verdict)
  buffer.writeUInt16LE(referrer.length, offset + fields.referrer)
  buffer.writeUInt16LE(userAgent.length, offset + fields.userAgent)
  buffer.writeUInt16LE(query.length, offset + fields.query)
  buffer[offset + fields.language] = language.length
  buffer[offset + fields.place] = place.length
  for (let i = 0; i < 8; i++) buffer[offset + fields.visitor + i] = hash[i] ?? 0
  if (referrer.length > 0) end += buffer.write(referrer, end, 'latin1')
  buffer.set(userAgent, end)
  end += userAgent.length
  if (query.length > 0) end += buffer.write(query, end, 'latin1')
  if (language.length > 0) end += buffer.write(language, end, 'latin1')
  if (place.length > 0) buffer.set(place, end)
  end += place.length
  if (version === 3) {
    for (let i = 0; i < detailNames.length; i++) {
      const text = details?.[detailNames[i] ?? 'rule'] ?? ''
      buffer[offset + fields.details + i] = text.length
      if (text.length > 0) end += buffer.write(text, end, 'latin1')
    }
  }
  buffer.writeUInt32LE(magics[version], offset)
  buffer.writeUInt16LE(end - offset, offset + fields.length)
  buffer.writeUInt32LE(checksum(buffer.subarray(offset, end), version), offset + fields.crc)
  return end
}

/** The checksum of a whole record. */
export function checksum(record: Buffer, version: number): number {
  const rest = record.subarray(fields.length)
  return version < 3 ? crc32(rest) : crc32(rest, crc32(record.subarray(0, fields.crc)))
}

/** The first four bytes of a record as a number. */
export function magicOf(version: RecordVersion): number {
  return Buffer.from(`${magic.toString('latin1')}${version}`, 'latin1').readUInt32LE(0)
}

/** The query and its note: of a record that would be too long for release 1.0, the end of the query goes. */
function formerQuery(visitor: Visitor): string {
  const { browser, referrer, query, language, identity, details } = visitor
  if (details === undefined) return query
  const others =
    referrer.length + browser.userAgent.length + language.length + identity.place.length
  const room = maxRecordSize2 - headerSizes[2] - others - maxNoteBytes
  return queryWithNote(query.slice(0, room), details)
}

function formerVerdict(verdict: ClickVerdict): ClickVerdict {
  const replaced: Partial<Record<ClickVerdict, FormerVerdict>> = formerVerdicts
  return replaced[verdict] ?? verdict
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
