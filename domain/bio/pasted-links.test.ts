import { expect, it } from 'vitest'
import { pastedLinks } from './pasted-links.ts'

it('lines become links: with their titles, or with the hosts as titles', () => {
  expect(
    pastedLinks(
      'https://www.shop.example/a\r\n\r\nMy talk - https://slides.example/t\nNews\tletters.example/n',
    ),
  ).toEqual([
    { title: 'shop.example', url: 'https://www.shop.example/a' },
    { title: 'My talk', url: 'https://slides.example/t' },
    { title: 'News', url: 'https://letters.example/n' },
  ])
})

it('a line without an address is the title of the next address', () => {
  expect(pastedLinks('My shop\nhttps://shop.example/\nThe end')).toEqual([
    { title: 'My shop', url: 'https://shop.example/' },
  ])
})

it('texts without addresses and single lines stay text', () => {
  for (const text of ['https://shop.example/', 'one\ntwo', 'e.g. this\njavascript:alert(1)', ''])
    expect(pastedLinks(text)).toBeNull()
})

it('ten thousand lines are as many links as a page holds', () => {
  expect(pastedLinks('https://shop.example/\n'.repeat(10_000))).toHaveLength(100)
})
