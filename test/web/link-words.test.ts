import { describe, expect, it } from 'vitest'
import { linkMarksOf } from '#web/features/links/link-marks.ts'
import { readListView } from '#web/features/links/list/list-view.ts'
import { scheduleWords } from '#web/features/links/page/option-words.ts'
import { tagChanges, tagsOfLinks } from '#web/features/links/tags/tagged-links.ts'
import type { LinkRow } from '#web/api/database.ts'

const plain = {
  starts_at: null,
  ends_at: null,
  max_clicks: null,
  click_count: 4,
  fallback_url: null,
  has_password: false,
  archived_at: null,
  forward_query: 'none',
  forward_overrides: false,
  redirect_status: 302,
  preview_title: null,
  preview_description: null,
  preview_image_url: null,
  show_preview_page: true,
} as LinkRow
const now = Date.parse('2026-06-01T12:00:00Z')
const marks = (change: Partial<LinkRow>) => linkMarksOf({ ...plain, ...change }, now)

describe('the words of a link', () => {
  it('a link without options has none', () => {
    expect(marks({})).toEqual([])
    expect(scheduleWords(plain, now)).toEqual([])
  })

  it('clicks that are left are hidden on plans that hide clicks', () => {
    expect(marks({ max_clicks: 5 })).toEqual(['1 click left'])
    expect(marks({ max_clicks: 4 })).toEqual(['ended'])
    expect(marks({ max_clicks: 4, click_count: null })).toEqual([])
    expect(scheduleWords({ ...plain, max_clicks: 5, click_count: null }, now)).toEqual([
      'Ends after 5 clicks',
    ])
  })

  it('a link that has ended does not say that it starts', () => {
    expect(marks({ starts_at: '2026-06-02T00:00:00Z' })).toEqual([
      expect.stringMatching(/^starts Jun 2/),
    ])
    expect(marks({ starts_at: '2020-01-01T00:00:00Z', ends_at: '2026-06-01T12:00:00Z' })).toEqual([
      'ended',
    ])
  })
})

describe('tags of several links', () => {
  const links = [
    { id: '1', tags: ['a', 'b'] },
    { id: '2', tags: ['b', 'a'] },
    { id: '3', tags: [] },
    { id: '4', tags: ['C'] },
  ]

  it('links with the same new list share a request, and unchanged ones need none', () => {
    expect(tagChanges(links, ['c'], new Set(['a', 'b']))).toEqual([
      { ids: ['1', '2', '3'], tags: ['c'] },
    ])
    expect(tagsOfLinks(links)).toEqual(['a', 'b', 'C'])
  })
})

it('the address of My Links keeps tags that look like numbers', () => {
  expect(readListView({ tag: 2026, archived: true, q: '', sort: 'newest' })).toEqual({
    tag: '2026',
    archived: true,
  })
})
