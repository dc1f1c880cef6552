import { describe, expect, test } from 'vitest'
import { reservedWords } from '#domain/routes.ts'
import { customCodeProblem, normalizeShortCode, shortCodePattern } from './short-codes.ts'

describe('short codes', () => {
  test('are the same in any case', () => {
    expect(normalizeShortCode('  My-Code_1 ')).toBe('my-code_1')
  })

  test.each([
    ['abc', null],
    ['a'.repeat(50), null],
    ['0_-', null],
    ['ab', 'length'],
    ['a'.repeat(51), 'length'],
    ['', 'length'],
    ['a b', 'characters'],
    ['é', 'characters'],
    ['a/b', 'characters'],
    ['abc\n', 'characters'],
    ['ABC', 'characters'],
  ] as const)('%j has the problem %s', (code, problem) => {
    expect(customCodeProblem(code)).toBe(problem)
    expect(shortCodePattern.test(code)).toBe(problem === null)
  })
})

describe('reserved words', () => {
  test('are names that the namespace can hold', () => {
    expect(reservedWords.filter((word) => !/^[a-z0-9_-]{1,64}$/.test(word))).toEqual([])
    expect(new Set(reservedWords).size).toBe(reservedWords.length)
  })

  test.each([
    'dashboard',
    'auth',
    'admin',
    'oauth',
    '404',
    'rest',
    'health',
    'well-known',
    'hoplet',
  ])('hold %s', (word) => {
    expect(reservedWords).toContain(word)
  })
})
