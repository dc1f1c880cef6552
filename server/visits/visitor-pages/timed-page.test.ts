import { expect, it } from 'vitest'
import type { BioEntry } from '../names/name-entry.ts'
import { pageAt } from './timed-page.ts'

const link = (id: string) => ({
  kind: 'link' as const,
  title: id,
  href: `/page/go/${id}`,
  imageUrl: null,
})
const target = { kind: 'bio_link' as const, redirect: {} as never }
const entry: BioEntry = {
  kind: 'bio',
  id: 'page',
  name: 'page',
  popup: undefined,
  view: {
    title: '',
    description: '',
    address: '',
    theme: { primary: '', background: '', text: '' },
    look: 'plain',
    avatarUrl: null,
    links: [link('always'), link('later'), { kind: 'header', title: 'Soon over' }],
    socialLinks: [],
    marked: false,
  },
  links: new Map(['always', 'later'].map((id) => [id, { ...target, id }])),
  times: [
    { id: 'later', index: 1, from: 100, to: 200 },
    { id: 'header', index: 2, from: 0, to: 150 },
  ],
}

it('a page has the entries of the moment, and is the same object between two changes', () => {
  const titles = (now: number) =>
    pageAt(entry, now).view.links.map((each) => (each.kind === 'divider' ? '' : each.title))
  expect(titles(99)).toEqual(['always', 'Soon over'])
  expect([...pageAt(entry, 99).links.keys()]).toEqual(['always'])
  expect(pageAt(entry, 50)).toBe(pageAt(entry, 99))
  expect(pageAt(entry, 100)).toBe(entry)
  expect(titles(150)).toEqual(['always', 'later'])
  expect(titles(200)).toEqual(['always'])
})
