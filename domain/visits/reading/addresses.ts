/** Eight groups of 16 bits. An IPv4 address is written as IPv6 writes it: `::ffff:192.0.2.1`. */
export type Groups = readonly number[]

export const mappedPrefix: Groups = [0, 0, 0, 0, 0, 0xff_ff]
/** Prefixes of translators between the families (RFC 6052, RFC 7915), which carry the IPv4 address of a client. */
const translatedPrefixes: readonly Groups[] = [
  [0x64, 0xff_9b, 0, 0, 0, 0],
  [0, 0, 0, 0, 0xff_ff, 0],
]

/** The longest address with its zone, in brackets with a port. */
const maxLength = 64

/**
 * The one spelling of an address, for all that compares, counts or stores it: `192.0.2.1` of each IPv4 address however it
 * came (`::ffff:192.0.2.1`, `::ffff:c000:201`, `64:ff9b::192.0.2.1`), and `2001:db8::1` (RFC 5952) of an IPv6 one. Takes the
 * text of a socket or a proxy, also in brackets, with a port, with a zone: `[fe80::1%eth0]:443`. Undefined for other text.
 */
export function canonicalAddress(text: string): string | undefined {
  const groups = parseAddress(bareAddress(text))
  return groups && formatAddress(groups)
}

/** The groups of an address without brackets, port and zone; undefined for any other text. */
export function parseAddress(text: string): Groups | undefined {
  const groups = parseGroups(text)
  return groups && withoutTranslation(groups)
}

/** As written, also of an address that a translator made. */
export function parseGroups(text: string): Groups | undefined {
  if (text.length > 45) return undefined
  if (!text.includes(':')) {
    const pair = parseIpv4(text)
    return pair && [...mappedPrefix, ...pair]
  }
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head, tail] = halves.map((half, i) => parseIpv6Part(half, i === halves.length - 1))
  if (!head) return undefined
  if (halves.length === 1) return head.length === 8 ? head : undefined
  if (!tail || head.length + tail.length > 7) return undefined
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0)
  return [...head, ...zeros, ...tail]
}

export function withoutTranslation(groups: Groups): Groups {
  const isTranslated = translatedPrefixes.some((prefix) => hasPrefix(groups, prefix))
  return isTranslated ? [...mappedPrefix, ...groups.slice(6)] : groups
}

export function isMapped(groups: Groups): boolean {
  return hasPrefix(groups, mappedPrefix)
}

const hasPrefix = (groups: Groups, prefix: Groups) =>
  prefix.every((group, i) => groups[i] === group)

/** Without blanks, quotes (RFC 7239), brackets, port and zone. */
function bareAddress(text: string): string {
  if (text.length > maxLength) return ''
  const plain = text.trim().replace(/^"(.*)"$/, '$1')
  const [, bracketed] = /^\[([^\]]+)\](?::\d*)?$/.exec(plain) ?? []
  // Only an IPv4 address can have a port without brackets.
  const address = bracketed ?? plain.replace(/(\.\d+):\d*$/, '$1')
  return address.includes(':') ? address.replace(/%[\w.~-]+$/, '') : address
}

function formatAddress(groups: Groups): string {
  const [, , , , , , high = 0, low = 0] = groups
  if (isMapped(groups)) return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  const text = groups.map((group) => group.toString(16)).join(':')
  const runs = text.match(/\b0(?::0)+\b/g) ?? []
  const [first] = runs.toSorted((a, b) => b.length - a.length)
  if (first === undefined) return text
  const at = text.search(new RegExp(`\\b${first}\\b`))
  return `${text.slice(0, at).replace(/:$/, '')}::${text.slice(at + first.length).replace(/^:/, '')}`
}

function parseIpv6Part(text: string, isLast: boolean): number[] | undefined {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':')
  for (const [i, part] of parts.entries()) {
    if (/^[\da-f]{1,4}$/i.test(part)) {
      groups.push(parseInt(part, 16))
      continue
    }
    const pair = isLast && i === parts.length - 1 ? parseIpv4(part) : undefined
    if (!pair) return undefined
    groups.push(...pair)
  }
  return groups
}

/** A part of an IPv4 address. */
export const octet = /^(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])$/

function parseIpv4(text: string): [number, number] | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => octet.test(part))) return undefined
  const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number)
  return [a * 256 + b, c * 256 + d]
}
