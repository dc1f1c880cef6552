import { expect, test, vi } from 'vitest'
import { createVisitorShares } from '#server/visits/visitor/visitor-shares.ts'

const sharesWith = (key: string) =>
  createVisitorShares({ current: () => ({ day: 1, key: Buffer.from(key) }) })
const link = '5f0c1c2e-8a55-4d0e-9d0e-4b6f0f6a3c11'
const visitors = Array.from({ length: 4_000 }, (_, i) => Buffer.from(String(i).padStart(8, '0')))

test('all rules of a link share one hash of the visitor', () => {
  const current = vi.fn(() => ({ day: 1, key: Buffer.from('key') }))
  const shareOf = createVisitorShares({ current })(visitors[0] ?? Buffer.alloc(8), link)
  const numbers = Array.from({ length: 50 }, (_, i) => shareOf(`rule-${i}`))
  expect(new Set(numbers).size).toBe(50)
  expect(numbers.every((number) => number >= 0 && number < 100)).toBe(true)
  expect(current).toHaveBeenCalledTimes(1)
})

test('a visitor keeps a number for the day, and has another for another link', () => {
  const [visitor = Buffer.alloc(8)] = visitors
  const number = sharesWith('key')(visitor, link)('a')
  expect(sharesWith('key')(visitor, link)('a')).toBe(number)
  expect(sharesWith('next day')(visitor, link)('a')).not.toBe(number)
  expect(sharesWith('key')(visitor, link.replace('5', '6'))('a')).not.toBe(number)
})

// The numbers of two keys say nothing about each other: of 100 fields with 40 visitors each, the sum of squared deviations is about
// 99, and beyond 160 once in 10,000 times. The visitors are always the same, so the test always says the same.
test.each([
  ['rule-1', 'rule-2'],
  ['a', 'a/split'],
  ['a', 'b'],
  ['0f1e2d3c-0000-4000-8000-000000000001', '0f1e2d3c-0000-4000-8000-000000000002'],
])('the numbers of %s and %s are even and independent', (one, other) => {
  const fields = Array.from({ length: 100 }, () => 0)
  for (const visitor of visitors) {
    const shareOf = sharesWith('key')(visitor, link)
    const field = Math.floor(shareOf(one) / 10) * 10 + Math.floor(shareOf(other) / 10)
    fields[field] = (fields[field] ?? 0) + 1
  }
  const expected = visitors.length / fields.length
  const deviation = fields.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  expect(deviation).toBeLessThan(160)
  // Control: a key with itself.
  expect(fields.filter((count) => count === 0)).toEqual([])
})
