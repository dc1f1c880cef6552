import { expect, it } from 'vitest'
import { linktreeReader, recordsOfPage } from '#domain/transfer/readers/linktree.ts'
import { convertFixture, readFixture } from './fixtures.ts'

const entriesOf = (html: string) =>
  (recordsOfPage(html) ?? []).map((record) => linktreeReader.convert(record))

it('a file of LinkStack gives headings and links in their order, pinned ones first', () => {
  expect(convertFixture('linkstack', 'linkstack.json')).toEqual([
    { kind: 'bio', entry: 'link', title: 'Blog', url: 'https://example.com/blog', losses: [] },
    { kind: 'bio', entry: 'header', title: 'Find us', url: '', losses: [] },
    {
      kind: 'bio',
      entry: 'link',
      title: 'Shop',
      url: 'https://example.com/shop',
      losses: ['own style', 'clicks so far'],
    },
    {
      kind: 'refused',
      refusal: 'A bio page has links and headings, and no blocks of text',
      label: expect.stringContaining('About'),
    },
    {
      kind: 'refused',
      refusal: 'An email address goes to the social links of a bio page',
      label: 'Mail',
    },
    { kind: 'refused', refusal: 'A bio page has no links to telephone numbers', label: 'Call' },
  ])
})

it('the source of a page of Linktree gives its entries wherever they are in its data', () => {
  expect(entriesOf(readFixture('linktree.html'))).toEqual([
    { kind: 'bio', entry: 'header', title: 'Visit us', url: '', losses: [] },
    {
      kind: 'bio',
      entry: 'link',
      title: 'Menu',
      url: 'https://example.com/menu',
      losses: ['thumbnail'],
    },
    {
      kind: 'bio',
      entry: 'link',
      title: 'Film',
      url: 'https://www.youtube.com/watch?v=1',
      losses: ['embedded view'],
    },
    {
      kind: 'refused',
      refusal: 'It was locked there. Add it by hand when everybody may see it',
      label: 'Staff',
    },
  ])
})

it('the source of another page gives its plain links without navigation', () => {
  expect(entriesOf(readFixture('plain-page.html'))).toEqual([
    {
      kind: 'bio',
      entry: 'link',
      title: 'First one',
      url: 'https://example.com/a?x=1&y=2',
      losses: [],
    },
    {
      kind: 'bio',
      entry: 'link',
      title: 'Second & third',
      url: 'https://example.com/b',
      losses: [],
    },
  ])
})

it('a page without links has no entries', () => {
  expect(recordsOfPage('<html><p>Nothing here</p></html>')).toBeUndefined()
  expect(recordsOfPage('')).toBeUndefined()
  expect(recordsOfPage('<a href="https://example.com/">never closed')).toBeUndefined()
})

it('a hostile page takes one pass', () => {
  const hostile = [
    '<a "'.repeat(200_000),
    '<'.repeat(1_000_000),
    '<!--'.repeat(200_000),
    '<script id="__NEXT_DATA__">'.repeat(50_000),
    `<a href="https://example.com/">${'<b>x'.repeat(300_000)}`,
    `<script id="__NEXT_DATA__">${'['.repeat(3_000)}${']'.repeat(3_000)}</script>`,
    '<nav>'.repeat(200_000),
  ]
  for (const html of hostile) expect(recordsOfPage(html)).toBeUndefined()
})
