import { expect, it } from 'vitest'
import { slugOf } from './bio-form.ts'

it.each([
  ['Straße & Söhne', 'strasse-sohne'],
  ['STRAẞE', 'strasse'],
  ['Smørrebrød', 'smorrebrod'],
  ['Łódź', 'lodz'],
  ['Đà Nẵng', 'da-nang'],
  ['Ærø', 'aero'],
  ['Cœur', 'coeur'],
  ['Þórr', 'thorr'],
  ['Kıvılcım İstanbul', 'kivilcim-istanbul'],
  ['ﬁne ＡＢＣ ①', 'fine-abc-1'],
  ['Ann – Books', 'ann-books'],
  ['Привет', ''],
  ['a'.repeat(40), 'a'.repeat(30)],
])('the title %s suggests the slug %j', (title, slug) => {
  expect(slugOf(title)).toBe(slug)
})
