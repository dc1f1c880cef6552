import { expect, it } from 'vitest'
import { newerRecord } from '#test/visits/hits.ts'
import {
  detailNames,
  maxDetailBytes,
  maxTextBytes,
  type Visitor,
  verdicts,
} from '../visitor/visitor-facts.ts'
import { checksum, encodeClick, fields, maxRecordSize } from './click-record.ts'
import { decodeClicks } from './decode-clicks.ts'

const link = '0b7cf5b5-9f23-4c2e-9d0a-2a1b6f1f8a01'
const at = 1_790_000_000_123
const chosen = { rule: 'r'.repeat(40), variant: 'v'.repeat(40) }

/** A visitor with texts of so many characters, at most those of a record. */
function visitorWith(length: number, facts: Partial<Visitor> = {}): Visitor {
  const text = (name: 'referrer' | 'userAgent' | 'language' | 'place', letter: string) =>
    letter.repeat(Math.min(length, maxTextBytes[name]))
  return {
    verdict: 'counted',
    browser: { isBot: false, userAgent: Buffer.from(text('userAgent', 'u')) },
    referrer: text('referrer', 'h'),
    query: 'qr',
    language: text('language', 'l'),
    identity: { hash: Buffer.alloc(8, 1), place: Buffer.from(text('place', 'p')) },
    ...facts,
  }
}

const query = `${'a=1&'.repeat(120)}utm_campaign=the-last-parameter`.padEnd(maxTextBytes.query, 'x')

function record(visitor: Visitor, version: 2 | 3 = 3, kind: 'link' | 'popup' = 'link'): Buffer {
  const bytes = Buffer.alloc(maxRecordSize)
  return bytes.subarray(0, encodeClick(bytes, 0, at, kind, link, visitor, version))
}

const read = (bytes: Buffer, isEnd = true) => decodeClicks(bytes, Number.POSITIVE_INFINITY, isEnd)

it('the longest record keeps the query of 512 bytes beside every detail', () => {
  const details = Object.fromEntries(detailNames.map((name) => [name, name[0]?.repeat(40)]))
  const bytes = record(visitorWith(512, { query, details }))
  expect(bytes).toHaveLength(maxRecordSize)
  const { clicks, corrupt, end } = read(bytes)
  expect({ corrupt, end }).toEqual({ corrupt: 0, end: maxRecordSize })
  expect(clicks).toMatchObject({ queries: [query], details: [details], times: [at] })
  expect(clicks.targets).toEqual([link.replaceAll('-', '')])
  expect(maxDetailBytes).toBe(40)
})

it('version 2 says the same in notes, and both versions mix', () => {
  const popup = { action: 'closed-later', surface: 'ab'.repeat(16) }
  const visits = [visitorWith(9), visitorWith(9, { details: chosen }), visitorWith(9)]
  for (const versions of [[2, 3, 2] as const, [3, 2, 3] as const]) {
    const records = visits.map((visitor, i) => record(visitor, versions[i]))
    const event = record(visitorWith(9, { query: '', details: popup }), versions[0], 'popup')
    const { clicks, corrupt, unknown, newer } = read(Buffer.concat([...records, event]))
    expect({ corrupt, unknown, newer }).toEqual({ corrupt: 0, unknown: 0, newer: undefined })
    expect(clicks.queries).toEqual(['qr', 'qr', 'qr', ''])
    expect(clicks.details).toEqual([undefined, chosen, undefined, popup])
  }
})

it.each([
  [
    'a visit',
    'SFBMMngaH6tYAKABe2xQxAt89bWfI0wunQoqG28figEAAAkACQACAAkJAQEBAQEBAQFoaGhoaGhoaGh1dXV1dXV1dXVxcmxsbGxsbGxsbHBwcHBwcHBwcA==',
    visitorWith(9),
  ],
  [
    'a visit that a rule decided',
    'SFBMMlXP5bhgAKABe2xQxAt89bWfI0wunQoqG28figEAAAkACQAKAAkJAQEBAQEBAQFoaGhoaGhoaGh1dXV1dXV1dXVxcgpuaWdodCBibGxsbGxsbGxscHBwcHBwcHBw',
    visitorWith(9, { details: { rule: 'night', variant: 'b' } }),
  ],
  [
    'an action on a popup',
    'SFBMMiDY2yuDAKABe2xQxAt89bWfI0wunQoqG28figEDAAkACQAtAAkJAQEBAQEBAQFoaGhoaGhoaGh1dXV1dXV1dXVjbG9zZWQtbGF0ZXImYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJhYmFiYWJsbGxsbGxsbGxwcHBwcHBwcHA=',
    visitorWith(9, { query: '', details: { action: 'closed-later', surface: 'ab'.repeat(16) } }),
  ],
])(
  '%s as release 1.0 recorded it is read, and version 2 writes the same bytes',
  (name, base64, visitor) => {
    const bytes = Buffer.from(base64, 'base64')
    const kind = name.includes('popup') ? 'popup' : 'link'
    expect(record(visitor, 2, kind)).toEqual(bytes)
    const { clicks, corrupt } = read(bytes)
    expect({ corrupt, details: clicks.details }).toEqual({ corrupt: 0, details: [visitor.details] })
    expect(clicks).toMatchObject({ queries: [visitor.query], kinds: [kind], times: [at] })
  },
)

it('version 2 is no longer than release 1.0 reads, with any texts', () => {
  const formerMaximum = 50 + 512 + 512 + 512 + 35 + 200
  const longest = record(visitorWith(512, { query, details: chosen }), 2)
  expect(longest.length).toBeLessThanOrEqual(formerMaximum)
  expect(read(longest).clicks.details).toEqual([chosen])
  // With usual headers the query is whole (control).
  const usual = record(visitorWith(120, { query, details: chosen }), 2)
  expect(read(usual).clicks.queries).toEqual([query])
})

it('an unknown verdict and an unknown kind count nothing, in every version', () => {
  for (const version of [2, 3] as const) {
    const known = record(visitorWith(9), version)
    const changed = [fields.verdict, fields.kind].map((field) => {
      const bytes = Buffer.from(known)
      bytes[field] = verdicts.length
      bytes.writeUInt32LE(checksum(bytes, version), fields.crc)
      return bytes
    })
    const { clicks, corrupt, unknown } = read(Buffer.concat([known, ...changed, known]))
    expect(clicks.targets).toHaveLength(2)
    expect({ corrupt, unknown }).toEqual({ corrupt: 0, unknown: 2 })
  }
})

it.each([10, 3_000, 65_535])(
  'a later version of %i bytes ends the read and is not damage',
  (size) => {
    const known = record(visitorWith(9))
    const newer = newerRecord(size)
    const bytes = Buffer.concat([known, newer, known])
    const stopped = { end: known.length, corrupt: 0, newer: { version: 4, size } }
    expect(read(bytes)).toMatchObject(stopped)
    expect(read(bytes).clicks.targets).toHaveLength(1)
    // After damage, too.
    const damaged = Buffer.concat([Buffer.alloc(100, 5), newer, known])
    expect(read(damaged)).toMatchObject({ end: 100, corrupt: 1, newer: { version: 4 } })
    // A cut record waits for its rest.
    const part = read(bytes.subarray(0, known.length + size - 1), false)
    expect(part).toMatchObject({ end: known.length, corrupt: 0, newer: undefined })
  },
)

it('a damaged version is damage, not a later version', () => {
  const [one, other] = [record(visitorWith(9)), record(visitorWith(9))]
  for (let bit = 0; bit < 8; bit++) {
    const bytes = Buffer.concat([one, other])
    bytes[3] = (bytes[3] ?? 0) ^ (1 << bit)
    expect(read(bytes)).toMatchObject({ corrupt: 1, newer: undefined, end: bytes.length })
    expect(read(bytes).clicks.targets).toHaveLength(1)
  }
})
