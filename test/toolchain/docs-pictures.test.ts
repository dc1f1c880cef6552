/** @module-tag extended */
import { expect, it } from 'vitest'
import { markupOf, stalePictures } from '../../scripts/pictures/docs-pictures.mjs'

const screen = (className: string, text: string, comment = '') => `${comment}
export function Screen({ n }: { n: number }) {
  return <section className="${className}"><h1>${text}</h1>{n > 1 ? <b title="many">{n}</b> : null}</section>
}`
const markup = (text: string) => markupOf('screen.tsx', text)

it('a picture is stale after a change of classes, texts or elements of its screen', () => {
  const before = markup(screen('p-4', 'Links'))
  expect(markup(screen('p-6', 'Links'))).not.toBe(before)
  expect(markup(screen('p-4', 'My Links'))).not.toBe(before)
  expect(markup(screen('p-4', 'Links').replaceAll('b>', 'i>'))).not.toBe(before)
})

it('a picture is stale after a change of a list of texts apart from its markup', () => {
  const withTabs = (tab: string) =>
    markup(`${screen('p-4', 'Links')}\nexport const tabs = ['Day', '${tab}'] as const`)
  expect(withTabs('Week')).toBe(withTabs('Week'))
  expect(withTabs('Month')).not.toBe(withTabs('Week'))
})

it('a picture stays current after a change of comments or logic', () => {
  const before = markup(screen('p-4', 'Links'))
  expect(markup(screen('p-4', 'Links', '// A comment.'))).toBe(before)
  expect(markup(screen('p-4', 'Links').replace('{ n }', '{ n = 3 }'))).toBe(before)
})

it('the pictures of the README show the screens as they are', () => {
  expect(stalePictures()).toEqual([])
})
