import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalAddress } from './addresses.ts'

const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
const groups = fc.array(fc.oneof(fc.constant(0), fc.nat(0xff_ff)), { minLength: 8, maxLength: 8 })
const hex = (number: number) => number.toString(16)

/** All that a socket or a proxy may write for one address: brackets, ports, zones, case, blanks, quotes. */
const around = (address: string): string[] => {
  const isIpv6 = address.includes(':')
  const zoned = isIpv6 ? [address, `${address}%eth0`, `${address}%25`] : [address]
  return zoned.flatMap((one) => [
    one,
    ` ${one}\t`,
    one.toUpperCase().replace(/%.*/, (zone) => zone.toLowerCase()),
    `[${one}]`,
    `[${one}]:4711`,
    `"[${one}]:4711"`,
    ...(one.includes('.') && !one.includes('%') ? [`${one}:4711`] : []),
  ])
}

const spellingsOfIpv4 = ([a, b, c, d]: readonly [number, number, number, number]): string[] => {
  const dotted = `${a}.${b}.${c}.${d}`
  const words = `${hex(a * 256 + b)}:${hex(c * 256 + d)}`
  const inIpv6 = ['::ffff:', '0:0:0:0:0:ffff:', '0000:0000:0000:0000:0000:ffff:', '64:ff9b::']
  const translated = ['::ffff:0:', '0064:ff9b:0:0:0:0:']
  return [
    dotted,
    ...[...inIpv6, ...translated].flatMap((prefix) => [prefix + dotted, prefix + words]),
  ].flatMap(around)
}

const spellingsOfIpv6 = (address: readonly number[]): string[] => {
  const long = address.map((group) => hex(group).padStart(4, '0')).join(':')
  const plain = address.map(hex).join(':')
  // Each run of zeros may be the one that is left out.
  const short = [...plain.matchAll(/(?:^|:)0(?::0)*(?=:|$)/g)].map(({ 0: run, index }) => {
    const [before, after] = [plain.slice(0, index), plain.slice(index + run.length)]
    return `${before}::${after.replace(/^:/, '')}`
  })
  return [long, plain, ...short].flatMap(around)
}

describe('an address', () => {
  it('of IPv4 is one text, however a proxy writes it', () => {
    fc.assert(
      fc.property(octets, (address) => {
        for (const spelling of spellingsOfIpv4(address))
          expect([spelling, canonicalAddress(spelling)]).toEqual([spelling, address.join('.')])
      }),
    )
  })

  it('of IPv6 is one text, which is that of a URL', () => {
    fc.assert(
      fc.property(groups, (address) => {
        const plain = address.map(hex).join(':')
        const expected = new URL(`http://[${plain}]`).hostname.slice(1, -1)
        // Those in which an IPv4 address is written are above.
        fc.pre(!/^(?:::ffff:|64:ff9b::[^:]*(?::[^:]*)?$)/.test(expected))
        for (const spelling of spellingsOfIpv6(address))
          expect([spelling, canonicalAddress(spelling)]).toEqual([spelling, expected])
      }),
    )
  })

  it('is another text than another address', () => {
    fc.assert(
      fc.property(octets, octets, (one, other) => {
        const [first] = spellingsOfIpv4(one)
        const isSame = one.join() === other.join()
        for (const spelling of spellingsOfIpv4(other))
          expect(canonicalAddress(spelling) === canonicalAddress(first ?? '')).toBe(isSame)
      }),
      { numRuns: 20 },
    )
  })

  it.each([
    '',
    'unknown',
    '_hidden',
    '203.0.113.5:port',
    '203.0.113.999',
    '203.0.113.05',
    '203.0.113.5%eth0',
    '[2001:db8::1',
    '2001:db8::1::',
    '1:2:3:4:5:6:7:8:9',
    '::ffff:203.0.113',
    'a'.repeat(10_000),
  ])('is not %j', (text) => {
    expect(canonicalAddress(text)).toBeUndefined()
  })
})
