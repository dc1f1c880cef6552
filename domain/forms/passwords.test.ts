import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalPassword, canonicalVisitorPassword, passwordSpellings } from './passwords.ts'

/** Letters with accents, syllables of Korean, and any other text. */
const typed = fc
  .array(
    fc.oneof(
      fc.constantFrom('ö', 'é', 'ñ', 'ậ', '한', '글', 'Å', 'e\u0301', ' '),
      fc.string({ unit: 'binary' }),
    ),
  )
  .map((parts) => parts.join(''))
const blanks = fc.constantFrom('', ' ', '\n', '\t ', '\u00a0', '\u200b', '\ufeff', '\u200e')

it('all spellings of one password meet', () => {
  fc.assert(
    fc.property(typed, (password) => {
      const [composed, decomposed] = [password.normalize('NFC'), password.normalize('NFD')]
      expect(canonicalPassword(composed)).toBe(canonicalPassword(decomposed))
      expect(canonicalPassword(canonicalPassword(password))).toBe(canonicalPassword(password))
      // A hash of each of them is found with each of them.
      for (const hashed of [composed, decomposed])
        for (const entered of [composed, decomposed])
          expect(passwordSpellings(entered, canonicalPassword(entered))).toContain(hashed)
      expect(passwordSpellings(password, canonicalPassword(password))).toContain(password)
    }),
  )
})

it('those of links and shared reports meet with blanks around them too', () => {
  fc.assert(
    fc.property(blanks, typed, blanks, (before, password, after) => {
      fc.pre(canonicalVisitorPassword(`x${password}x`) !== 'xx' && /[^\s\p{Cf}]/u.test(password))
      const canonical = canonicalVisitorPassword(password)
      expect(canonicalVisitorPassword(before + password.normalize('NFD') + after)).toBe(canonical)
      expect(canonicalVisitorPassword(canonical)).toBe(canonical)
    }),
  )
  expect(canonicalPassword(' a ')).toBe(' a ')
  // One of blanks alone is one, and no other one.
  expect(canonicalVisitorPassword('  ')).toBe('  ')
  expect(canonicalVisitorPassword('a b')).not.toBe(canonicalVisitorPassword('ab'))
})
