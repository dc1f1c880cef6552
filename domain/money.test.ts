import { expect, test } from 'vitest'
import { dollars } from './money.ts'

test.each([
  [0, '$0.00'],
  [1, '$0.01'],
  [175, '$1.75'],
  [-175, '−$1.75'],
  [123_456_789, '$1,234,567.89'],
])('%i cents are %s', (cents, text) => {
  expect(dollars(cents)).toBe(text)
})
