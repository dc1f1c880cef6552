import { expect, it } from 'vitest'
import { clientAddress, limitKey, networkOf, wideLimitKey } from './client-address.ts'

const proxy = '10.0.0.1'

it.each([
  ['203.0.113.5', '203.0.113.5'],
  ['203.0.113.5:4711', '203.0.113.5'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['198.51.100.7, 203.0.113.5:4711', '203.0.113.5'],
  ['198.51.100.7, ::ffff:203.0.113.5', '203.0.113.5'],
  ['::ffff:cb00:7105', '203.0.113.5'],
  ['[2001:DB8:0:0::1%eth0]:4711', '2001:db8::1'],
  // No address at all.
  ['203.0.113.5:port', proxy],
  ['203.0.113.999:4711', proxy],
  ['[2001:db8::1', proxy],
  ['unknown', proxy],
])('the client of a proxy that names %s is %s', (forwarded, address) => {
  expect(clientAddress(proxy, forwarded, 1)).toBe(address)
})

it('limits and logs know an address in any spelling', () => {
  for (const spelling of ['203.0.113.5', '::ffff:203.0.113.5', '::ffff:cb00:7105']) {
    expect(clientAddress(spelling, undefined, 0)).toBe('203.0.113.5')
    expect(limitKey(spelling)).toBe('203.0.113.5')
    expect(wideLimitKey(spelling)).toBe('203.0.113')
    expect(networkOf(spelling)).toBe('203.0.113.0/24')
  }
  for (const spelling of ['2001:db8:0:7::1', '2001:DB8:0:7:0::1', '2001:0db8::7:0:0:0:1%eth0']) {
    expect(limitKey(spelling)).toBe('2001:db8:0:7')
    expect(networkOf(spelling)).toBe('2001:db8:0::/48')
  }
})
