import { expect, it } from 'vitest'
import { changeOf, type SharedReportView } from './report-view.ts'

const none = { clicks: 0, rows: [], rest: 0, sampled: null }

function change(before: number, clicks: number) {
  const counted = { before, scans: 0, links: 1, compared: [], splits: [] }
  const lists = { country: none, device: none, referrer: none, source: none }
  const view: SharedReportView = {
    host: 'example.com',
    code: 'a',
    tag: null,
    title: null,
    shownName: null,
    zone: 'UTC',
    days: 7,
    figures: { ...lists, ...counted, day: { ...none, clicks } },
  }
  return changeOf(view, 'en')
}

it.each([
  [10, 15, '50% more than the 7 days before', true],
  [10, 5, '50% less than the 7 days before', false],
  [1_000, 1_001, 'As many as in the 7 days before', false],
])('of %i clicks and then %i it says "%s"', (before, clicks, words, isMore) => {
  expect(change(before, clicks)).toEqual({ words, isMore })
})

it('the change says nothing without clicks before', () => {
  expect(change(0, 5)).toBeUndefined()
})
