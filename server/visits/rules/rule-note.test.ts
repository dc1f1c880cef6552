import { expect, it } from 'vitest'
import { decodeClicks, encodeClick, maxRecordSize } from '../click-record.ts'
import { readRuleNote, writeRuleNote } from './rule-note.ts'
import { maxTextBytes, type Visitor } from '../visitor/visitor-facts.ts'

const link = '0b7cf5b5-9f23-4c2e-9d0a-2a1b6f1f8a01'
const id = (letter: string) => letter.repeat(40)

it('the longest record keeps the query of the visitor beside the longest note of a rule', () => {
  const query = `${'a=1&'.repeat(120)}utm_campaign=the-last-parameter`.padEnd(
    maxTextBytes.query,
    'x',
  )
  const text = (length: number) => 'x'.repeat(length)
  const chosen = {
    rule: { id: id('r'), when: [], to: 'https://example.com/' },
    variant: { id: id('v'), to: null, weight: 50 },
    to: null,
  }
  const visitor: Visitor = {
    verdict: 'counted',
    browser: { isBot: false, userAgent: Buffer.alloc(maxTextBytes.userAgent, 'u') },
    referrer: text(maxTextBytes.referrer),
    query: writeRuleNote(query, chosen),
    language: text(maxTextBytes.language),
    identity: { hash: Buffer.alloc(8, 1), place: Buffer.alloc(maxTextBytes.place, 'p') },
  }
  const bytes = Buffer.alloc(maxRecordSize)
  expect(encodeClick(bytes, 0, Date.now(), 'link', link, visitor)).toBe(maxRecordSize)
  const { clicks, corrupt } = decodeClicks(bytes, 1, true)
  expect(corrupt).toBe(0)
  expect(readRuleNote(clicks.queries[0] ?? '')).toEqual({
    query,
    note: { rule: id('r'), variant: id('v') },
  })
})
