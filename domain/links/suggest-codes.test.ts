import { expect, it } from 'vitest'
import { codeIdeas } from './suggest-codes.ts'
import { customCodeProblem } from './short-codes.ts'

it.each([
  [
    'https://shop.example/products/summer-dress.html',
    'The summer dress in blue',
    'summer-dress-blue',
  ],
  ['https://shop.example/products/summer-dress.html', '', 'summer-dress'],
  ['https://harbor.example/', '', 'harbor'],
  ['https://harbor.example/preisliste', 'Größe & Maße für Kinder', 'groesse-masse-fuer'],
  ['https://harbor.example/a%20b%20menu', '', 'b-menu'],
])('the first idea for %s with the title %j is %s', (url, title, first) => {
  expect(codeIdeas(url, title)[0]).toBe(first)
})

it('ideas are valid codes, also for hostile addresses and titles in other scripts', () => {
  const hostile = [
    'https://x.example/%E0%A4%A',
    'not an address',
    `https://a.example/${'x'.repeat(2_000)}`,
  ]
  for (const url of hostile)
    for (const title of ['', '日本語の題名', '-'.repeat(200), 'x'.repeat(200)])
      for (const idea of codeIdeas(url, title)) expect(customCodeProblem(idea)).toBeNull()
})
