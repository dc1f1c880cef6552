import { crc32 } from 'node:zlib'
import { type ClickVerdict, type Visitor, verdicts } from './visitor.ts'

/** What was visited; the journal stores the index. */
export const targetKinds = ['link', 'bio', 'bio_link'] as const
export type TargetKind = (typeof targetKinds)[number]

// A record: magic 4 | crc32 4 of the bytes after it | length 2 of the whole record | epoch ms 2 + 4 | target 16 |
// kind 1 | verdict 1 | referrer length 2 | user agent length 2 | referrer | user agent. Little endian, texts ASCII.
// The magic lets a reader find the next record after a damaged one.
const magic = Buffer.from('HPL1', 'latin1')
const magicNumber = magic.readUInt32LE(0)
const headerSize = 38
const crcFrom = 8

/** The length of the longest record. */
export const maxRecordSize = headerSize + 512 + 512

/** Writes one record at `offset`, which must leave {@link maxRecordSize} bytes; returns where the next one starts. */
export function encodeClick(
  buffer: Buffer,
  offset: number,
  at: number,
  kind: TargetKind,
  target: Uint8Array,
  { verdict, browser, referrer }: Visitor,
): number {
  const { userAgent } = browser
  const size = headerSize + referrer.length + userAgent.length
  buffer.writeUInt32LE(magicNumber, offset)
  buffer.writeUInt16LE(size, offset + 8)
  buffer.writeUInt16LE(Math.floor(at / 0x1_0000_0000), offset + 10)
  buffer.writeUInt32LE(at % 0x1_0000_0000, offset + 12)
  buffer.set(target, offset + 16)
  buffer[offset + 32] = targetKinds.indexOf(kind)
  buffer[offset + 33] = verdicts.indexOf(verdict)
  buffer.writeUInt16LE(referrer.length, offset + 34)
  buffer.writeUInt16LE(userAgent.length, offset + 36)
  if (referrer.length > 0) buffer.write(referrer, offset + headerSize, 'latin1')
  buffer.set(userAgent, offset + headerSize + referrer.length)
  buffer.writeUInt32LE(crc32(buffer.subarray(offset + crcFrom, offset + size)), offset + 4)
  return offset + size
}

/** Clicks in columns, as one statement inserts them. Ids are 32 hexadecimal digits. */
export interface ClickColumns {
  targets: string[]
  kinds: TargetKind[]
  times: number[]
  verdicts: ClickVerdict[]
  referrers: string[]
  userAgents: string[]
}

export interface Decoded {
  clicks: ClickColumns
  /** Where the next read starts. */
  end: number
  /** Damaged records that were skipped. */
  corrupt: number
}

/**
 * Reads at most `maxRecords` records from the start of `bytes`. Damaged ones are skipped and counted, and do not affect
 * their neighbors. `isEnd` says that no more bytes follow, so that an incomplete record is damaged, not just cut off.
 */
export function decodeClicks(bytes: Buffer, maxRecords: number, isEnd: boolean): Decoded {
  const clicks: ClickColumns = {
    targets: [],
    kinds: [],
    times: [],
    verdicts: [],
    referrers: [],
    userAgents: [],
  }
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
  if (bytes.length - offset < headerSize || bytes.readUInt32LE(offset) !== magicNumber) return 0
  const size = bytes.readUInt16LE(offset + 8)
  if (size < headerSize || size > maxRecordSize || size > bytes.length - offset) return 0
  if (size !== headerSize + bytes.readUInt16LE(offset + 34) + bytes.readUInt16LE(offset + 36))
    return 0
  const crc = crc32(bytes.subarray(offset + crcFrom, offset + size))
  return crc === bytes.readUInt32LE(offset + 4) ? size : 0
}

/** Finds the next intact record, or one that may be intact but is cut off. Adjacent damage therefore counts once. */
function nextRecord(bytes: Buffer, from: number, isEnd: boolean): number {
  for (let at = bytes.indexOf(magic, from); at !== -1; at = bytes.indexOf(magic, at + 1)) {
    if (sizeAt(bytes, at) > 0 || (!isEnd && bytes.length - at < maxRecordSize)) return at
  }
  return isEnd ? bytes.length : Math.max(from, bytes.length - magic.length + 1)
}

function push(clicks: ClickColumns, bytes: Buffer, offset: number): void {
  const referrerEnd = offset + headerSize + bytes.readUInt16LE(offset + 34)
  clicks.targets.push(bytes.toString('hex', offset + 16, offset + 32))
  clicks.kinds.push(targetKinds[bytes[offset + 32] ?? 0] ?? 'link')
  clicks.times.push(
    bytes.readUInt16LE(offset + 10) * 0x1_0000_0000 + bytes.readUInt32LE(offset + 12),
  )
  clicks.verdicts.push(verdicts[bytes[offset + 33] ?? 0] ?? 'counted')
  clicks.referrers.push(bytes.toString('latin1', offset + headerSize, referrerEnd))
  clicks.userAgents.push(
    bytes.toString('latin1', referrerEnd, offset + bytes.readUInt16LE(offset + 8)),
  )
}
