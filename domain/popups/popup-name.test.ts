import { expect, it } from 'vitest'
import { copyNameOf } from './popup-name.ts'

it('a copy has the name of the popup, or its title, within 100 characters', () => {
  expect(copyNameOf({ name: null, title: 'Spring sale' })).toBe('Spring sale (copy)')
  expect(copyNameOf({ name: 'Shop, spring', title: 'Spring sale' })).toBe('Shop, spring (copy)')
  const long = copyNameOf({ name: null, title: '🌷'.repeat(200) })
  expect(Array.from(long)).toHaveLength(100)
  expect(long.endsWith('🌷 (copy)')).toBe(true)
})
