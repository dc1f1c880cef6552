import { expect, test } from 'vitest'
import { forwardingOf, forwardQuery } from './forward-query.ts'

const destination = 'https://example.com/?own=1#there'

const forward = (query: string, names: string, to = destination) => {
  const forwarding = forwardingOf(names, false)
  return forwarding && forwardQuery(to, query, forwarding)
}

test('all of a query goes on as it came, or nothing of one that is too long to be read', () => {
  const query = Array.from({ length: 100 }, (_, i) => `a${i}=%41+b`).join('&')
  expect(forward(query, 'all')).toBe(`https://example.com/?own=1&${query}#there`)
  expect(forward(`${query}&b=1`, 'all')).toBe(destination)
  expect(forward(`b=1&a=${'b'.repeat(2_048)}`, 'all')).toBe(destination)
})

test('a named parameter is found among the first hundred of a query', () => {
  const before = (count: number) => 'a=1&'.repeat(count)
  expect(forward(`${before(99)}ref=1&a=${'b'.repeat(9_000)}`, 'ref')).toBe(
    'https://example.com/?own=1&ref=1#there',
  )
  expect(forward(`${before(100)}ref=1`, 'ref')).toBe(destination)
})

test('the parameters of a long destination stay as they are', () => {
  const long = `https://example.com/?own=1&${'a=1&'.repeat(200)}`
  expect(forward('%6fwn=2&ref=1', 'all', long)).toBe(`${long}ref=1`)
  const replacing = forwardingOf('own', true)
  expect(replacing && forwardQuery(long, 'own=2', replacing)).toBe(
    `https://example.com/?${'a=1&'.repeat(200)}own=2`,
  )
})
