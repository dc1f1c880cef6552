import type { Socket } from 'node:net'
import { hostHeader, type Hosts } from '../../http/hosts.ts'
import {
  createReserved,
  type IsReserved,
  type KeptNames,
  nameIn,
  scannedTarget,
} from '../visit-path.ts'
import type { VisitRequest } from '../visitor/visitor.ts'

/** A visit for which a few headers are enough. */
export interface SimpleVisit extends VisitRequest {
  method: 'GET'
  /** Key of the name (name-key.ts). */
  key: string
  /** The request target, with its query; of a scan `/{code}?qr`. */
  url: string
  /** Names and values, only of the headers that visitor.ts reads. Names are lowercase. */
  rawHeaders: string[]
}

/** Undefined for everything that is not a {@link SimpleVisit}, valid or not; node:http handles it. */
export type ReadSimpleVisit = (chunk: Buffer, socket: Socket) => SimpleVisit | undefined

const maxRequestBytes = 4_096
const minRequestBytes = 30
const requestStart = Buffer.from('GET /', 'latin1')
const requestLineEnd = Buffer.from(' HTTP/1.1\r\n', 'latin1')
const [tab, lf, cr, space, colon] = [0x09, 0x0a, 0x0d, 0x20, 0x3a]

/**
 * The headers that matter to a redirect besides those of the visitor, which are recorded. `host`: exactly one. `forwarded-host`: at most one.
 * `connection`: only `keep-alive`. `http`: it changes the framing of the message or the use of the connection, which
 * node:http has to handle. `prefetch`: the response may be another one.
 */
const headerUses = {
  host: 'host',
  'x-forwarded-host': 'forwarded-host',
  connection: 'connection',
  'content-length': 'http',
  'transfer-encoding': 'http',
  expect: 'http',
  upgrade: 'http',
  te: 'http',
  trailer: 'http',
  'proxy-connection': 'http',
  'http2-settings': 'http',
  'sec-purpose': 'prefetch',
  purpose: 'prefetch',
  'x-moz': 'prefetch',
} as const

interface KnownHeader {
  name: string
  bytes: Buffer
  use: (typeof headerUses)[keyof typeof headerUses] | 'visitor'
}

// Bytes that RFC 9110 allows in a header name (1), and those it allows in a value only (2).
const byteKinds = new Uint8Array(256)
byteKinds[tab] = 2
for (let byte = 0x20; byte < 0x7f; byte++) byteKinds[byte] = 2
for (let byte = 0x80; byte < 0x100; byte++) byteKinds[byte] = 2
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
  byteKinds[character.charCodeAt(0)] = 1
}

/**
 * Makes a function that reads a chunk which is exactly one complete `GET /{code} HTTP/1.1` request, or one of `/q/{code}`, without a body, with
 * one Host header and no header that needs special handling.
 *
 * @param recorded the headers of the visitor that are recorded, in lower case
 */
export function createSimpleVisitReader(
  recorded: readonly string[],
  { hosts, trustedProxies, keptNames: kept }: SimpleVisitDeps,
): ReadSimpleVisit {
  const uses = Object.entries<KnownHeader['use']>(headerUses)
  const known = headersByLength([...uses, ...recorded.map((name) => [name, 'visitor'] as const)])
  /** The last host that is served: most visits have the same one. */
  let last: { bytes: Buffer; prefix: string; generation: object } | undefined
  const prefixOf: ReadPrefix = (chunk, host, forwarded) => {
    const one = trustedProxies > 0 && forwarded.end > 0 ? forwarded : host
    const isLast =
      last?.bytes.length === one.end - one.start && startsWith(chunk, one.start, last.bytes)
    const generation = hosts.generation()
    if (isLast && last?.generation === generation) return last.prefix
    const text = ({ start, end }: Span) => valueIn(chunk, start, end)
    const place = hosts.placeAt(hostHeader(text(host), text(forwarded), trustedProxies))
    if (place === undefined) return undefined
    const { prefix } = place
    last = { bytes: Buffer.from(chunk.subarray(one.start, one.end)), prefix, generation }
    return prefix
  }
  const isReserved = createReserved(kept)
  return (chunk, socket) => readSimpleVisit(chunk, socket, { known, prefixOf, isReserved })
}

interface SimpleVisitDeps {
  hosts: Pick<Hosts, 'placeAt' | 'generation'>
  trustedProxies: number
  keptNames?: KeptNames
}

/** Where a value is in a chunk, with the whitespace around it; `end` is 0 for a missing one. */
interface Span {
  start: number
  end: number
}

/** The prefix of the keys of names at the host of a request; undefined where nothing is served. */
type ReadPrefix = (chunk: Buffer, host: Span, forwarded: Span) => string | undefined

/** Indexed by the length of the name, which rules out most headers of a browser at once. */
function headersByLength(uses: (readonly [string, KnownHeader['use']])[]): KnownHeader[][] {
  const known: KnownHeader[][] = []
  for (const [name, use] of uses) {
    const sameLength = (known[name.length] ??= [])
    sameLength.push({ name, bytes: Buffer.from(name, 'latin1'), use })
  }
  return known
}

/** Names and values of the visit that is being read: an array that grows would be three times as large. */
const found: string[] = []

/** Likewise. */
const host: Span = { start: 0, end: 0 }
const forwarded: Span = { start: 0, end: 0 }

function readSimpleVisit(
  chunk: Buffer,
  socket: Socket,
  {
    known,
    prefixOf,
    isReserved,
  }: { known: KnownHeader[][]; prefixOf: ReadPrefix; isReserved: IsReserved },
): SimpleVisit | undefined {
  const { length } = chunk
  if (length > maxRequestBytes || length < minRequestBytes) return undefined
  if (!startsWith(chunk, 0, requestStart)) return undefined
  let targetEnd = requestStart.length
  while (isVisible(chunk[targetEnd] ?? 0)) targetEnd++
  if (!startsWith(chunk, targetEnd, requestLineEnd)) return undefined
  let at = targetEnd + requestLineEnd.length

  let foundEnd = 0
  host.end = forwarded.end = 0
  while (at < length && chunk[at] !== cr) {
    const nameStart = at
    while (byteKinds[chunk[at] ?? 0] === 1) at++
    const nameEnd = at
    if (nameEnd === nameStart || chunk[at] !== colon) return undefined
    const valueStart = ++at
    while (byteKinds[chunk[at] ?? 0]) at++
    if (chunk[at] !== cr || chunk[at + 1] !== lf) return undefined
    const header = knownHeader(chunk, nameStart, nameEnd, known)
    if (header?.use === 'http' || header?.use === 'prefetch') return undefined
    if (header?.use === 'host' || header?.use === 'forwarded-host') {
      const span = header.use === 'host' ? host : forwarded
      if (span.end > 0) return undefined
      span.start = valueStart
      span.end = at
    } else if (header?.use === 'visitor') {
      found[foundEnd++] = header.name
      found[foundEnd++] = valueIn(chunk, valueStart, at)
    } else if (header && valueIn(chunk, valueStart, at).toLowerCase() !== 'keep-alive')
      return undefined
    at += 2
  }
  // The empty line ends the request, and has to end the chunk.
  if (host.end === 0 || at + 2 !== length || chunk[at + 1] !== lf) return undefined
  const prefix = prefixOf(chunk, host, forwarded)
  if (prefix === undefined) return undefined
  const target = chunk.toString('latin1', 4, targetEnd)
  const url = scannedTarget(target, prefix, isReserved) ?? target
  const name = nameIn(url, prefix, isReserved)
  if (name === undefined) return undefined
  const key = prefix === '' ? name : prefix + name
  return { method: 'GET', key, url, rawHeaders: found.slice(0, foundEnd), socket }
}

function knownHeader(
  chunk: Buffer,
  start: number,
  end: number,
  known: KnownHeader[][],
): KnownHeader | undefined {
  const candidates = known[end - start]
  if (!candidates) return undefined
  for (const candidate of candidates) {
    if (equalsLowercase(chunk, start, candidate.bytes)) return candidate
  }
  return undefined
}

/** Ignores case: with bit 0x20 set, a byte equals a lowercase letter or a hyphen only if it is that character in either case. */
function equalsLowercase(chunk: Buffer, start: number, lowercase: Buffer): boolean {
  for (let i = 0; i < lowercase.length; i++) {
    if (((chunk[start + i] ?? 0) | 0x20) !== lowercase[i]) return false
  }
  return true
}

function startsWith(chunk: Buffer, offset: number, expected: Buffer): boolean {
  for (let i = 0; i < expected.length; i++) if (chunk[offset + i] !== expected[i]) return false
  return true
}

/** The value without surrounding whitespace. */
function valueIn(chunk: Buffer, start: number, end: number): string {
  while (start < end && isBlank(chunk[start])) start++
  while (end > start && isBlank(chunk[end - 1])) end--
  return chunk.toString('latin1', start, end)
}

function isVisible(byte: number): boolean {
  return byte > space && byte < 0x7f
}

function isBlank(byte: number | undefined): boolean {
  return byte === space || byte === tab
}
