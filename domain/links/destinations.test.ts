import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkDestination, ownHostsOf, readDestination } from './destinations.ts'
import { dangerousDestinations } from '#test/fixtures/dangerous-destinations.ts'

const ownHosts = ownHostsOf({
  publicUrl: 'https://hoplet.example',
  linksUrl: 'https://bücher.example:3000',
})

describe('checkDestination', () => {
  test.each([
    ['https://example.com', 'https://example.com'],
    ['https://Example.com', 'https://example.com/'],
    ['HTTPS://Example.COM/Path?q=1#Part', 'https://example.com/Path?q=1#Part'],
    ['http://example.com:8080/a%20b', 'http://example.com:8080/a%20b'],
    ['https://example.com/é', 'https://example.com/%C3%A9'],
    ['https://example.com/a b', 'https://example.com/a%20b'],
    ['https://аpple.com/', 'https://xn--pple-43d.com/'],
    ['https://example.com/@user?to=a@b.example', 'https://example.com/@user?to=a@b.example'],
    ['http://[2001:db8::1]/', 'http://[2001:db8::1]/'],
    ['https://my_host.example.com./x', 'https://my_host.example.com./x'],
    [`http://${'a.'.repeat(126)}a/x`, `http://${'a.'.repeat(126)}a/x`],
    [`http://${'a.'.repeat(126)}a.:80/x`, `http://${'a.'.repeat(126)}a./x`],
    [`https://example.com/${'a'.repeat(2028)}`, `https://example.com/${'a'.repeat(2028)}`],
  ])('stores %s as its WHATWG form', (raw, url) => {
    expect(checkDestination(raw, { ownHosts })).toEqual({ ok: true, url })
  })

  test('refuses each of the dangerous addresses', () => {
    expect(dangerousDestinations.length).toBeGreaterThanOrEqual(200)
    const accepted = dangerousDestinations.filter((raw) => checkDestination(raw, { ownHosts }).ok)
    expect(accepted).toEqual([])
  })

  // The positive control of the corpus: a check that only parses lets many of its entries through.
  test('the corpus catches a check that only asks whether the address parses', () => {
    const parses = dangerousDestinations.filter((raw) => URL.canParse(raw))
    expect(parses.length).toBeGreaterThan(100)
  })

  test.each([
    ['', 'empty'],
    [`https://example.com/${'a'.repeat(2049)}`, 'length'],
    [`https://example.com/${'é'.repeat(400)}`, 'length'],
    ['java\nscript:alert(1)', 'control-characters'],
    ['example.com', 'syntax'],
    ['javascript:alert(1)', 'scheme'],
    ['https://a@example.com', 'userinfo'],
    ['https://hoplet.example/x', 'own-host'],
    [`http://${'a.'.repeat(126)}aa/`, 'syntax'],
    [`http://${'a.'.repeat(127)}a./`, 'syntax'],
    [`http://${'a.'.repeat(1_000)}example/`, 'syntax'],
    [`http://${'é.'.repeat(40)}example/`, 'syntax'],
  ] as const)('names what is wrong with %s', (raw, reason) => {
    expect(checkDestination(raw, { ownHosts })).toEqual({ ok: false, reason })
  })

  test.each([
    'https://hoplet.example',
    'http://hoplet.example/abc',
    'https://HOPLET.EXAMPLE/abc',
    'https://hoplet.example./abc',
    'https://hoplet.example:8443/abc',
    'https://www.hoplet.example/abc',
    'https://WWW.Hoplet.Example.:80/',
    'https://hoplet%2Eexample/abc',
    'https://ｈｏｐｌｅｔ.example/abc',
    'https://hoplet。example/abc',
    'https://bücher.example/abc',
    'https://BÜCHER.example/abc',
    'https://xn--bcher-kva.example/abc',
    'https://b%C3%BCcher.example:3000/abc',
  ])('knows its own host as %s', (raw) => {
    expect(checkDestination(raw, { ownHosts })).toEqual({ ok: false, reason: 'own-host' })
  })

  test.each([
    'http://127.0.0.1:3000',
    'http://LOCALHOST:3000/x',
    'http://0x7f.1:3000/',
    'http://[::1]:3000',
  ])('takes all loopback names with its own port for itself: %s', (raw) => {
    expect(
      checkDestination(raw, { ownHosts: ownHostsOf({ publicUrl: 'http://127.0.0.1:3000' }) }).ok,
    ).toBe(false)
    expect(checkDestination(raw, { ownHosts }).ok).toBe(true)
  })

  test('leaves other programs of the same machine alone', () => {
    const local = { ownHosts: ownHostsOf({ publicUrl: 'http://127.0.0.1:3000' }) }
    expect(checkDestination('http://127.0.0.1:8080/', local).ok).toBe(true)
    expect(checkDestination('http://localhost/', local).ok).toBe(true)
  })

  test('lets through a host that only looks like its own', () => {
    expect(checkDestination('https://hoplet.example.com/', { ownHosts }).ok).toBe(true)
    expect(checkDestination('https://nothoplet.example/', { ownHosts }).ok).toBe(true)
  })

  test('an accepted address is http or https, has no user information, and is stable', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'http:',
        'https://',
        '//',
        '\\',
        '@',
        ':',
        'javascript:',
        '\n',
        '%00',
        '.com',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.webUrl(),
    )
    let acceptedCount = 0
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
          fc.string({ unit: 'binary' }).map((rest) => `https://${rest}`),
          fc.webUrl({ withFragments: true, withQueryParameters: true }),
        ),
        (raw) => {
          const check = checkDestination(raw, { ownHosts })
          if (!check.ok) return
          acceptedCount += 1
          const url = new URL(check.url)
          expect(['http:', 'https:']).toContain(url.protocol)
          expect(url.username + url.password).toBe('')
          expect(url.host).not.toBe('')
          expect(check.url).toMatch(/^[!-~]+$/)
          expect(checkDestination(check.url, { ownHosts })).toEqual(check)
        },
      ),
      { numRuns: 10_000 },
    )
    expect(acceptedCount).toBeGreaterThan(1000)
  })
})

describe('readDestination', () => {
  test.each([
    ['example.com', 'https://example.com'],
    ['harbour.example/winter-list', 'https://harbour.example/winter-list'],
    ['  www.example.com/a b ', 'https://www.example.com/a%20b'],
    ['example.com:8080/x?y#z', 'https://example.com:8080/x?y#z'],
    ['münchen.example/', 'https://xn--mnchen-3ya.example/'],
    [' http://example.com/x ', 'http://example.com/x'],
  ])('adds https:// to %j where the scheme is missing', (typed, url) => {
    expect(readDestination(typed, { ownHosts })).toEqual({ ok: true, url })
  })

  test.each([
    ['', 'empty'],
    ['not a url', 'syntax'],
    ['localhost', 'syntax'],
    ['mailto:ada@example.com', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['//example.com', 'syntax'],
    ['ada@example.com', 'syntax'],
    ['two words.com x', 'syntax'],
    ['a..bc', 'syntax'],
    ['hoplet.example/abc', 'own-host'],
  ] as const)('refuses %j', (typed, reason) => {
    expect(readDestination(typed, { ownHosts })).toEqual({ ok: false, reason })
  })
})
