import {
  type Groups,
  isMapped,
  mappedPrefix,
  octet,
  parseGroups,
  withoutTranslation,
} from './addresses.ts'

/** Addresses that are equal to `groups` in the bits of `masks`. */
interface AddressRange {
  readonly groups: Groups
  readonly masks: Groups
}

const all = 0xff_ff
const exact: Groups = Array.from({ length: 8 }, () => all)

/**
 * Reads one address (`192.0.2.1`, `2001:db8::1`), a network (`10.0.0.0/8`, `2001:db8::/32`) or a wildcard: `*` stands for any
 * part, and the last one for all that follow (`192.0.*.1`, `10.*`, `2001:db8:*`). Undefined for any other text.
 */
export function parseAddressRange(text: string): AddressRange | undefined {
  if (text.includes('*')) return parseWildcard(text)
  const [address = '', length, ...rest] = text.split('/')
  const groups = parseGroups(address)
  if (!groups || rest.length > 0) return undefined
  if (length === undefined) return { groups: withoutTranslation(groups), masks: exact }
  if (!/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined
  const bits = Number(length) + (address.includes(':') ? 0 : 96)
  if (bits > 128) return undefined
  return { groups: bits < 96 ? groups : withoutTranslation(groups), masks: maskOf(bits) }
}

/** An address as {@link createAddressTest} compares it: 32-bit words, one of an IPv4 address, four of an IPv6 one. */
export type SearchedAddress = Int32Array

export function searchedAddress(address: Groups): SearchedAddress {
  const words = wordsOf(address)
  return isMapped(address) ? words.subarray(3) : words
}

/**
 * Makes a function that tells whether an address is in one of the ranges. IPv4 addresses are only in ranges of IPv4: `::/0` is
 * all of IPv6. A list may have thousands of ranges, and each visit searches it, so they are plain numbers.
 */
export function createAddressTest(
  ranges: readonly AddressRange[],
): (address: SearchedAddress) => boolean {
  const isOfIpv4 = ({ groups, masks }: AddressRange) =>
    isMapped(groups) && mappedPrefix.every((_, i) => masks[i] === all)
  const ipv4 = ranges.filter(isOfIpv4).map((range) => flat(range, 3))
  const ipv6 = ranges.filter((range) => !isOfIpv4(range)).map((range) => flat(range, 0))
  const lists = { 1: Int32Array.from(ipv4.flat()), 4: Int32Array.from(ipv6.flat()) }
  return (address) => isInList(address, address.length === 1 ? lists[1] : lists[4])
}

/** @param list for each range the words of its address, and then those of its masks */
function isInList(address: SearchedAddress, list: Int32Array): boolean {
  const size = address.length
  for (let at = 0; at < list.length; at += 2 * size) {
    let i = 0
    while (i < size && ((address[i] ?? 0) & (list[at + size + i] ?? 0)) === list[at + i]) i++
    if (i === size) return true
  }
  return false
}

function flat({ groups, masks }: AddressRange, from: number): number[] {
  const masked = groups.map((group, i) => group & (masks[i] ?? 0))
  return [...wordsOf(masked).subarray(from), ...wordsOf(masks).subarray(from)]
}

function wordsOf(groups: Groups): Int32Array {
  return Int32Array.from({ length: 4 }, (_, i) => {
    return ((groups[2 * i] ?? 0) << 16) | (groups[2 * i + 1] ?? 0)
  })
}

function maskOf(bits: number): Groups {
  return exact.map((_, i) => all & ~(all >> Math.min(16, Math.max(0, bits - i * 16))))
}

function parseWildcard(text: string): AddressRange | undefined {
  const isIpv6 = text.includes(':')
  const size = isIpv6 ? 8 : 4
  const parts = text.split(isIpv6 ? ':' : '.')
  const isShort = parts.length < size && parts.at(-1) === '*'
  const filled = isShort ? [...parts, ...Array<string>(size - parts.length).fill('*')] : parts
  const known = isIpv6 ? /^[\da-f]{1,4}$/i : octet
  if (filled.length !== size || !filled.every((part) => part === '*' || known.test(part)))
    return undefined
  const values = filled.map((part) => (part === '*' ? 0 : parseInt(part, isIpv6 ? 16 : 10)))
  const bits = filled.map((part) => (part === '*' ? 0 : isIpv6 ? all : 255))
  if (isIpv6) return { groups: values, masks: bits }
  return {
    groups: [...mappedPrefix, ...pairs(values)],
    masks: [...mappedPrefix.map(() => all), ...pairs(bits)],
  }
}

function pairs([a = 0, b = 0, c = 0, d = 0]: readonly number[]): number[] {
  return [a * 256 + b, c * 256 + d]
}
