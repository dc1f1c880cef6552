import { expect, it } from 'vitest'
import { clientAddress } from './client-address.ts'

const proxy = '10.0.0.1'

it.each([
  ['203.0.113.5', '203.0.113.5'],
  ['203.0.113.5:4711', '203.0.113.5'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['198.51.100.7, 203.0.113.5:4711', '203.0.113.5'],
  // No address at all.
  ['203.0.113.5:port', proxy],
  ['203.0.113.999:4711', proxy],
  ['[2001:db8::1', proxy],
  ['unknown', proxy],
])('the client of a proxy that names %s is %s', (forwarded, address) => {
  expect(clientAddress(proxy, forwarded, 1)).toBe(address)
})
