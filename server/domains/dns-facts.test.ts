import { describe, expect, it } from 'vitest'
import { excludesIssuer, isCloudflare, readDirection, readProof } from './dns-facts.ts'
import type { DnsAnswers } from './read-dns.ts'

const found = (...values: string[]) => ({ found: values, isSlow: false })
const slow = { found: [], isSlow: true }
const token = 'a'.repeat(32)

describe('the proof', () => {
  it.each([
    ['right', found(`hoplet=${token}`)],
    ['right', found('v=spf1 -all', ` hoplet=${token} `, 'x')],
    ['missing', found()],
    ['missing', found('hoplet=', `hoplet=${token}b`, token, `HOPLET=${token}`)],
    ['unknown', slow],
  ])('is %s for %j', (reading, texts) => {
    expect(readProof({ texts }, token)).toBe(reading)
  })
})

describe('the direction', () => {
  const targets = { hosts: ['hop.example', 'app.example'], addresses: ['192.0.2.1', '2001:db8::1'] }
  const answers: Omit<DnsAnswers, 'texts'> = {
    chain: { ...found(), isLoop: false },
    addresses: found(),
    target: found('192.0.2.9'),
  }
  it.each<[string, string, Partial<typeof answers>]>([
    ['right', 'CNAME', { chain: { ...found('hop.example'), isLoop: false } }],
    ['right', 'CNAME of a CNAME', { chain: { ...found('a.test', 'app.example'), isLoop: false } }],
    [
      'right',
      'CNAME, although addresses are slow',
      { chain: { ...found('hop.example'), isLoop: false }, addresses: slow },
    ],
    [
      'missing',
      'CNAME to another host',
      { chain: { ...found('hop.example.evil.test'), isLoop: false } },
    ],
    ['missing', 'loop', { chain: { ...found('a.test', 'b.test'), isLoop: true }, addresses: slow }],
    ['right', 'an address of the setting', { addresses: found('192.0.2.1') }],
    ['right', 'both addresses', { addresses: found('192.0.2.1', '2001:db8::1') }],
    ['right', 'the address of the host of links', { addresses: found('192.0.2.9') }],
    ['missing', 'one foreign address', { addresses: found('192.0.2.1', '198.51.100.1') }],
    ['missing', 'a foreign IPv6 address', { addresses: found('192.0.2.1', '2001:db8::2') }],
    ['missing', 'no record', {}],
    ['unknown', 'slow name servers', { addresses: slow }],
    ['unknown', 'a chain without an end', { chain: { ...slow, isLoop: false } }],
  ])('is %s by %s', (reading, _name, changes) => {
    expect(readDirection({ ...answers, ...changes }, targets)).toBe(reading)
  })

  it('is unknown while the own host cannot be looked up', () => {
    const own = { hosts: ['hop.example'], addresses: [] }
    const asked = { ...answers, addresses: found('192.0.2.1') }
    expect(readDirection({ ...asked, target: slow }, own)).toBe('unknown')
    expect(readDirection(asked, own)).toBe('missing')
  })
})

it('CAA records exclude the issuer unless one names it', () => {
  expect(excludesIssuer([])).toBe(false)
  expect(excludesIssuer(['letsencrypt.org'])).toBe(false)
  expect(excludesIssuer(['digicert.com', 'LetsEncrypt.org; validationmethods=http-01'])).toBe(false)
  expect(excludesIssuer([';'])).toBe(true)
  expect(excludesIssuer(['digicert.com', 'notletsencrypt.org'])).toBe(true)
})

it('addresses of the proxy are known by their networks', () => {
  expect(['104.16.1.1', '172.67.0.9', '2606:4700::6810:1'].filter(isCloudflare)).toHaveLength(3)
  expect(['192.0.2.1', '172.16.0.1', '2001:db8::1', 'x'].filter(isCloudflare)).toEqual([])
})
