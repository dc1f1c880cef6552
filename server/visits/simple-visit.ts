import { nameIn } from './visit-path.ts'

/** A visit that needs nothing of HTTP but a few headers. */
export interface SimpleVisit {
  method: 'GET'
  name: string
  /** Names and values, only of headers that may matter to visitor.ts. */
  rawHeaders: string[]
}

const maxLength = 4_096
const start = Buffer.from('GET /', 'latin1')
const version = Buffer.from(' HTTP/1.1\r\n', 'latin1')
const keepAlive = 'keep-alive'
const [tab, lf, cr, space, colon] = [0x09, 0x0a, 0x0d, 0x20, 0x3a]

// What RFC 9110 allows in a header name (1) and, beside that, in a value (2).
const kinds = new Uint8Array(256)
kinds[0x09] = 2
for (let byte = 0x20; byte < 0x7f; byte++) kinds[byte] = 2
for (let byte = 0x80; byte < 0x100; byte++) kinds[byte] = 2
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
  kinds[character.charCodeAt(0)] = 1
}

// They change how a message is framed or how a connection goes on, which is node:http's business. Compared by length
// and both ends only: another name that looks alike takes the longer way, which costs nothing but time.
const careful = new Set(
  [
    'content-length',
    'transfer-encoding',
    'expect',
    'upgrade',
    'te',
    'trailer',
    'proxy-connection',
    'http2-settings',
  ].map((name) => shapeOf(Buffer.from(name), 0, name.length)),
)
const connectionShape = shapeOf(Buffer.from('connection'), 0, 10)

/**
 * Reads a chunk that is exactly one complete `GET /{code} HTTP/1.1` request without a body, with one Host header and
 * with nothing that asks for special treatment. Undefined for everything else, valid or not: node:http judges that.
 */
export function readSimpleVisit(chunk: Buffer): SimpleVisit | undefined {
  const { length } = chunk
  if (length > maxLength || length < 30 || !isAt(chunk, 0, start)) return undefined
  let targetEnd = 5
  while (isVisible(chunk[targetEnd] ?? 0)) targetEnd++
  if (!isAt(chunk, targetEnd, version)) return undefined
  let at = targetEnd + version.length

  const rawHeaders: string[] = []
  let hosts = 0
  while (at < length && chunk[at] !== cr) {
    const nameStart = at
    while (kinds[chunk[at] ?? 0] === 1) at++
    const nameLength = at - nameStart
    if (nameLength === 0 || chunk[at] !== colon) return undefined
    let valueStart = ++at
    while (kinds[chunk[at] ?? 0]) at++
    if (chunk[at] !== cr || chunk[at + 1] !== lf) return undefined
    let valueEnd = at
    at += 2

    const isWanted = nameLength === 10 || nameLength === 7 || nameLength === 11 || nameLength === 5
    if (nameLength === 4 && isHost(chunk, nameStart)) hosts++
    const shape = shapeOf(chunk, nameStart, nameLength)
    if (careful.has(shape)) return undefined
    if (!isWanted) continue
    while (valueStart < valueEnd && isBlank(chunk[valueStart])) valueStart++
    while (valueEnd > valueStart && isBlank(chunk[valueEnd - 1])) valueEnd--
    const value = chunk.toString('latin1', valueStart, valueEnd)
    if (shape === connectionShape) {
      if (value.toLowerCase() !== keepAlive) return undefined
    } else rawHeaders.push(chunk.toString('latin1', nameStart, nameStart + nameLength), value)
  }
  // The empty line ends the request, and the chunk with it.
  if (hosts !== 1 || at + 2 !== length || chunk[at + 1] !== lf) return undefined
  const name = nameIn(chunk.toString('latin1', 4, targetEnd))
  return name === undefined ? undefined : { method: 'GET', name, rawHeaders }
}

function isAt(chunk: Buffer, offset: number, wanted: Buffer): boolean {
  for (let i = 0; i < wanted.length; i++) if (chunk[offset + i] !== wanted[i]) return false
  return true
}

function isVisible(byte: number): boolean {
  return byte > space && byte < 0x7f
}

function isBlank(byte: number | undefined): boolean {
  return byte === space || byte === tab
}

function isHost(chunk: Buffer, at: number): boolean {
  return (
    ((chunk[at] ?? 0) | 0x20) === 0x68 &&
    ((chunk[at + 1] ?? 0) | 0x20) === 0x6f &&
    ((chunk[at + 2] ?? 0) | 0x20) === 0x73 &&
    ((chunk[at + 3] ?? 0) | 0x20) === 0x74
  )
}

function shapeOf(name: Buffer, at: number, length: number): number {
  return (length << 16) | (((name[at] ?? 0) | 0x20) << 8) | ((name[at + length - 1] ?? 0) | 0x20)
}
