import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { partsOf, readContentLines, readMail, readWifi } from '#test/qr/payload-readers.ts'
import { payloadOf } from './payloads.ts'
import {
  emptyStaticFields,
  readPlace,
  staticKinds,
  type StaticFields,
  type StaticKind,
} from './static-forms.ts'

function fieldsWith<Kind extends StaticKind>(
  kind: Kind,
  changes: Partial<StaticFields[Kind]>,
): StaticFields[Kind] {
  return { ...emptyStaticFields[kind], ...changes }
}

function textOf<Kind extends StaticKind>(kind: Kind, changes: Partial<StaticFields[Kind]>): string {
  const payload = payloadOf(kind, fieldsWith(kind, changes))
  if ('problems' in payload) throw new Error(JSON.stringify(payload.problems))
  return payload.text
}

function problemsOf<Kind extends StaticKind>(kind: Kind, changes: Partial<StaticFields[Kind]>) {
  const payload = payloadOf(kind, fieldsWith(kind, changes))
  return 'problems' in payload ? payload.problems : {}
}

/** Texts that break a format which does not escape them. */
const nastyTexts = [
  'a;b',
  'a,b',
  String.raw`a\b`,
  String.raw`ends in a backslash\ `.trim(),
  String.raw`\n is not a line break`,
  'say "hello"',
  'a:b;T:nopass;',
  "100% of 'em & more = a?b#c + d",
  'Grüße aus Köln',
  '東京都の寿司',
  '👩‍👩‍👧 🎉',
  'مطعم الشاطئ',
  'END:VCARD',
]

describe('a Wi-Fi code', () => {
  it.for(nastyTexts)('keeps %s as name and password to the letter', (nasty) => {
    const ssid = Array.from(nasty).slice(0, 8).join('')
    const password = `${nasty}12345678`
    const text = textOf('wifi', { ssid, password })
    expect(readWifi(text)).toEqual({ T: 'WPA', S: ssid, P: password })
  })

  it('says that a network is hidden or open, and leaves the password of an open one out', () => {
    expect(textOf('wifi', { ssid: ' Café ', password: 'secret:123', isHidden: true })).toBe(
      String.raw`WIFI:T:WPA;S: Café ;P:secret\:123;H:true;;`,
    )
    expect(textOf('wifi', { security: 'nopass', ssid: 'Guests', password: 'before' })).toBe(
      'WIFI:T:nopass;S:Guests;;',
    )
  })

  it('needs a name of at most 32 bytes and a password of 8 to 63 characters', () => {
    expect(problemsOf('wifi', {})).toEqual({
      ssid: 'Please enter the name of the network',
      password: 'A Wi-Fi password has 8 to 63 characters',
    })
    const ssid = 'ü'.repeat(16)
    const problem = 'The name of a network has at most 32 bytes'
    expect(problemsOf('wifi', { ssid, password: '12345678' })).toEqual({})
    expect(problemsOf('wifi', { ssid: `${ssid}a`, password: '12345678' })).toEqual({
      ssid: problem,
    })
    for (const password of ['a'.repeat(63), 'A0'.repeat(32)])
      expect(problemsOf('wifi', { ssid, password })).toEqual({})
    for (const password of ['a'.repeat(7), 'z'.repeat(64)])
      expect(problemsOf('wifi', { ssid, password })).toHaveProperty('password')
    expect(problemsOf('wifi', { ssid: 'a\u0000b', password: '12345678' })).toEqual({
      ssid: 'Please remove the invisible character',
    })
  })
})

describe('a contact code', () => {
  it.for([...nastyTexts, 'two\nlines', 'three\r\nof\rthem'])(
    'keeps %j in each field, in lines of at most 75 bytes',
    (nasty) => {
      const line = nasty.replaceAll(/[\r\n]+/g, ' ')
      const note = `${nasty} and ${nasty.repeat(4)}`
      const text = textOf('contact', {
        given: line,
        family: line,
        organization: line,
        role: line,
        street: line,
        city: line,
        country: line,
        note,
      })
      expect(partsOf(text, 'N')).toEqual([line, line, '', '', ''])
      expect(partsOf(text, 'FN')).toEqual([`${line} ${line}`])
      expect(partsOf(text, 'ORG')).toEqual([line])
      expect(partsOf(text, 'TITLE')).toEqual([line])
      expect(partsOf(text, 'ADR', 'TYPE=WORK')).toEqual(['', '', line, line, '', '', line])
      expect(partsOf(text, 'NOTE')).toEqual([note.replaceAll(/\r\n?/g, '\n')])
      const names = readContentLines(text).map(({ name }) => name)
      expect([names[0], names[1], names.at(-1)]).toEqual(['BEGIN', 'VERSION', 'END'])
    },
  )

  it('has numbers and addresses as phones dial and open them, and no line for a blank field', () => {
    const text = textOf('contact', {
      organization: 'Bistro Sonne',
      mobile: '+49 (0)170 12-34.56',
      phone: '030/1234',
      email: 'hello@bistro.example',
      website: 'bistro.example/menu;a,b',
    })
    expect(partsOf(text, 'FN')).toEqual(['Bistro Sonne'])
    expect(partsOf(text, 'TEL', 'TYPE=CELL')).toEqual(['+49170123456'])
    expect(partsOf(text, 'TEL', 'TYPE=WORK')).toEqual(['0301234'])
    expect(partsOf(text, 'EMAIL', 'TYPE=INTERNET')).toEqual(['hello@bistro.example'])
    const url = readContentLines(text).find(({ name }) => name === 'URL')
    expect(url?.raw).toBe('https://bistro.example/menu;a,b')
    for (const name of ['ADR', 'NOTE', 'TITLE']) expect(text).not.toContain(name)
  })

  it('names each problem at its field', () => {
    expect(
      problemsOf('contact', { mobile: '*#21#', email: 'a@b', website: 'javascript:alert(1)' }),
    ).toEqual({
      organization: 'Please enter a name or a company',
      mobile: 'Please enter a phone number such as +49 30 123456',
      email: 'Invalid email address',
      website: 'Please enter an address such as example.com',
    })
    expect(problemsOf('contact', { given: 'Ann\nEND:VCARD' })).toEqual({
      given: 'Please remove the invisible character',
    })
    expect(problemsOf('contact', { given: 'a'.repeat(201) })).toEqual({
      given: 'Please use at most 200 characters',
    })
    expect(problemsOf('contact', { given: '\uD83D' })).toHaveProperty('given')
  })
})

describe('an email code', () => {
  it.for([...nastyTexts, 'two\nlines'])('keeps %j as subject and body', (nasty) => {
    const subject = nasty.replaceAll('\n', ' ')
    const text = textOf('email', { to: 'ann+qr@bistro.example', subject, body: nasty })
    expect(text).toMatch(/^mailto:ann\+qr@bistro\.example\?[\x21-\x7e]+$/)
    expect(readMail(text)).toEqual({
      to: 'ann+qr@bistro.example',
      subject,
      body: nasty.replaceAll('\n', '\r\n'),
    })
  })

  it('encodes marks that would end its address, and has nothing else where nothing is wanted', () => {
    const text = textOf('email', { to: "o'neil&sons?=%/{x}@bistro.example" })
    expect(text).not.toContain('?')
    expect(readMail(text).to).toBe("o'neil&sons?=%/{x}@bistro.example")
    expect(textOf('email', { to: 'ann@bücher.example' })).toBe('mailto:ann@xn--bcher-kva.example')
    expect(problemsOf('email', { to: 'ann' })).toEqual({ to: 'Invalid email address' })
  })
})

describe('a phone code', () => {
  it('has the digits of a number, however they were typed', () => {
    expect(textOf('phone', { phone: ' +49 (0) 30–12\u00A034 ' })).toBe('tel:+49301234')
    expect(textOf('phone', { phone: '（030）１２３４' })).toBe('tel:0301234')
    expect(textOf('phone', { phone: '112' })).toBe('tel:112')
    expect(textOf('sms', { phone: '+49 30 1234' })).toBe('SMSTO:+49301234')
    for (const phone of ['', '12', '+', '1234567890123456', '*100#', '030;ext=1', '+49+30 1234'])
      expect(problemsOf('phone', { phone })).toHaveProperty('phone')
  })

  it.for([...nastyTexts, 'two\nlines'])('keeps %j as the text of a message', (nasty) => {
    const text = textOf('sms', { phone: '+49 30 1234', message: nasty })
    const [, number, message] = /^SMSTO:(\+\d+):(.*)$/s.exec(text) ?? []
    expect([number, message]).toEqual(['+49301234', nasty])
  })
})

describe('a code of a place', () => {
  it.for([
    ['52.52', '13.405', 'geo:52.52,13.405'],
    ['\u221233,8567844', '+151.2152967', 'geo:-33.856784,151.215297'],
    ['-0.0000001', '-180', 'geo:0,180'],
    ['90', '45', 'geo:90,0'],
    ['-90', '180.0', 'geo:-90,0'],
  ] as const)('has %s and %s as decimals with a point', ([latitude, longitude, text]) => {
    expect(textOf('place', { latitude, longitude })).toBe(text)
  })

  it('is on the earth', () => {
    const problems = {
      latitude: 'Latitude is a number from -90 to 90',
      longitude: 'Longitude is a number from -180 to 180',
    }
    for (const [latitude, longitude] of [
      ['90.000001', '180.000001'],
      ['-91', '-181'],
      ['', ''],
      ['1e1', '0x10'],
      ['52° 31′', '13,4,5'],
      ['NaN', 'Infinity'],
    ] as const)
      expect(problemsOf('place', { latitude, longitude })).toEqual(problems)
  })

  it('reads a pair as maps copy it', () => {
    const place = { latitude: '52.520008', longitude: '-13.404954' }
    for (const pair of ['52.520008, -13.404954', ' 52.520008,-13.404954', '52.520008 -13.404954'])
      expect(readPlace(pair)).toEqual(place)
    for (const text of ['52,520008', '52.520008', '52, 13', '1.5, 2.5, 3.5'])
      expect(readPlace(text)).toBeUndefined()
  })
})

describe('an event code', () => {
  const { TZ } = process.env
  beforeAll(() => {
    process.env['TZ'] = 'Europe/Berlin'
  })
  afterAll(() => {
    if (TZ === undefined) delete process.env['TZ']
    else process.env['TZ'] = TZ
  })

  const party = { title: 'Summer party', start: '2027-07-01T18:00', end: '2027-07-02T02:30' }

  it('has times in UTC, in summer and in winter', () => {
    expect(textOf('event', party)).toBe(
      'BEGIN:VEVENT\r\nSUMMARY:Summer party\r\nDTSTART:20270701T160000Z\r\nDTEND:20270702T003000Z\r\nEND:VEVENT\r\n',
    )
    const winter = textOf('event', { title: 'Tea', start: '2027-01-01T18:00' })
    expect(partsOf(winter, 'DTSTART')).toEqual(['20270101T170000Z'])
    expect(partsOf(winter, 'DTEND')).toBeUndefined()
  })

  it('has days without a time zone, of which the end is the day after', () => {
    const text = textOf('event', { ...party, isAllDay: true, end: '2027-12-31T00:00' })
    expect(partsOf(text, 'DTSTART', 'VALUE=DATE')).toEqual(['20270701'])
    expect(partsOf(text, 'DTEND', 'VALUE=DATE')).toEqual(['20280101'])
  })

  it.for([...nastyTexts, 'two\nlines'])('keeps %j in each text', (nasty) => {
    const line = nasty.replaceAll('\n', ' ')
    const text = textOf('event', { ...party, title: line, location: line, notes: nasty.repeat(5) })
    expect(partsOf(text, 'SUMMARY')).toEqual([line])
    expect(partsOf(text, 'LOCATION')).toEqual([line])
    expect(partsOf(text, 'DESCRIPTION')).toEqual([nasty.repeat(5)])
  })

  it('names each problem at its field', () => {
    expect(problemsOf('event', { start: 'tomorrow', end: '2027-13-01T00:00' })).toEqual({
      title: 'Please enter a title',
      start: 'Please choose a start',
      end: 'Please choose an end, or none',
    })
    const end = 'The end is before the start'
    // Beside another problem, and with whole days, which may be one.
    expect(problemsOf('event', { ...party, title: '', end: '2027-07-01T17:59' })).toEqual({
      title: 'Please enter a title',
      end,
    })
    const oneDay = { ...party, isAllDay: true, end: '2027-07-01T00:00' }
    expect(problemsOf('event', oneDay)).toEqual({})
    expect(problemsOf('event', { ...oneDay, isAllDay: false })).toEqual({ end })
  })
})

describe('any static code', () => {
  it('has problems while nothing was typed', () => {
    for (const kind of staticKinds)
      expect(payloadOf(kind, emptyStaticFields[kind]), kind).toHaveProperty('problems')
  })

  it('says at its longest field that a QR code does not hold it', () => {
    const problem = 'This is too much for a QR code. Please shorten it, or use a link.'
    const long = '東'.repeat(430)
    expect(problemsOf('text', { text: long })).toEqual({ text: problem })
    expect(problemsOf('email', { to: 'ann@bistro.example', body: long })).toEqual({ body: problem })
    expect(problemsOf('contact', { given: 'Ann', note: long })).toEqual({ note: problem })
    expect(problemsOf('text', { text: 'a'.repeat(8_000) })).toEqual({ text: problem })
    expect(problemsOf('text', { text: 'a'.repeat(8_001) })).toEqual({
      text: 'Please use at most 8000 characters',
    })
    // The most at level H: 1,273 bytes; digits take less than a byte each.
    expect(textOf('text', { text: 'a'.repeat(1_273) })).toHaveLength(1_273)
    expect(problemsOf('text', { text: 'a'.repeat(1_274) })).toEqual({ text: problem })
    expect(textOf('text', { text: '7'.repeat(3_000) })).toHaveLength(3_000)
  })

  it('has a name that is a file name', () => {
    const wifi = fieldsWith('wifi', { ssid: String.raw`a/b\c:d*?"<>|`, password: '12345678' })
    expect(payloadOf('wifi', wifi)).toMatchObject({ name: 'Wi-Fi a-b-c-d------' })
    expect(
      payloadOf('event', {
        ...emptyStaticFields.event,
        title: '🎉'.repeat(100),
        start: '2027-07-01T18:00',
      }),
    ).toMatchObject({ name: '🎉'.repeat(60) })
  })
})
