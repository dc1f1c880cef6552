import { describe, expect, it } from 'vitest'
import { spaceSlugProblem } from './space-form.ts'

describe('the address of a space', () => {
  it.each(['ab', '22', 'harbour-books', 'a'.repeat(48)])('may be %s', (slug) => {
    expect(spaceSlugProblem(slug)).toBeUndefined()
  })
  it.each(['', 'a', 'a'.repeat(49), 'a--b', '-ab', 'ab-', 'a_b', 'команда', 'go', 'popup', 'new'])(
    'may not be %s',
    (slug) => {
      expect(spaceSlugProblem(slug)).toMatch(/characters|reserved/)
    },
  )
})
