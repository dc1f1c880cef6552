import { describe, expect, it } from 'vitest'
import {
  linkTextColumns,
  linkTexts,
  linkTextSentence,
  ofLinkTexts,
} from '#domain/links/link-limits.ts'
import { optionsDraftOf } from '#web/features/links/options/options-draft.ts'
import { localTimeOf } from '#web/ui/local-time.ts'
import { checkOptions } from '#web/features/links/options/check-options.ts'
import type { LinkRow } from '#web/api/database.ts'

const saved = {
  ...ofLinkTexts(() => null),
  tags: ['poster'],
  archived_at: '2026-01-02T03:04:05.678+00:00',
  starts_at: '2026-12-01T07:00:30+00:00',
  ends_at: null,
  max_clicks: 5,
  fallback_url: null,
  forward_query: 'ref,page',
  forward_overrides: true,
  redirect_status: 308,
  preview_image_url: null,
  show_preview_page: false,
} as LinkRow

const read = (change: Partial<ReturnType<typeof optionsDraftOf>>, link?: LinkRow) =>
  checkOptions({ ...optionsDraftOf(link), ...change }, link, ['hop.example'])

describe('the form of options', () => {
  it('an untouched form writes the columns that it was filled from', () => {
    const result = read({}, saved)
    expect(result.ok && result.columns).toEqual(saved)
  })

  it('texts become values, and empty ones null', () => {
    const result = read({
      title: '  ',
      maxClicks: ' 12 ',
      fallbackUrl: 'shop.example/over',
      endsAt: '2026-12-01T08:00',
      tags: ['a'],
      tagText: 'A, b',
      forwarding: 'named',
      forwardNames: 'ref, page  ref',
      password: '',
    })
    expect(result.ok && result.columns).toMatchObject({
      title: null,
      max_clicks: 12,
      fallback_url: 'https://shop.example/over',
      ends_at: new Date('2026-12-01T08:00').toISOString(),
      tags: ['a', 'b'],
      forward_query: 'ref,page',
      password: '',
      archived_at: null,
    })
    expect(localTimeOf(new Date('2026-12-01T08:00').toISOString())).toBe('2026-12-01T08:00')
  })

  it.each(linkTextColumns)('a longer %s is refused at its field', (column) => {
    const { maxLength } = linkTexts[column]
    expect(read({ [column]: 'x'.repeat(maxLength) }).ok).toBe(true)
    // One character each, as the database counts.
    expect(read({ [column]: '🍁'.repeat(maxLength) }).ok).toBe(true)
    const text = linkTextSentence(column)
    expect(read({ [column]: 'x'.repeat(maxLength + 1) })).toEqual({
      ok: false,
      field: column,
      text,
    })
    expect(linkTextSentence('note')).toBe('A note has at most 2,000 characters')
  })

  it.each([
    [{ tagText: 'x'.repeat(41) }, 'tagText', 'A tag has 1 to 40 characters'],
    [{ tagText: Array.from({ length: 21 }, (_, n) => n).join() }, 'tagText', 'at most 20 tags'],
    [{ maxClicks: '0' }, 'maxClicks', 'a number from 1 to 1,000,000,000'],
    [{ maxClicks: '1.5' }, 'maxClicks', 'a number from 1 to 1,000,000,000'],
    [{ fallbackUrl: 'https://hop.example/x' }, 'fallbackUrl', 'leads to this server itself'],
    [{ fallbackUrl: 'javascript:alert(1)' }, 'fallbackUrl', 'Please enter a valid URL'],
    [
      { startsAt: '2026-12-01T08:00', endsAt: '2026-12-01T08:00' },
      'endsAt',
      'The end must come after the start',
    ],
    [{ forwarding: 'named', forwardNames: ' , ' }, 'forwardNames', 'up to 50 names'],
    [{ forwarding: 'named', forwardNames: 'a b=c' }, 'forwardNames', 'up to 50 names'],
    [{ previewImage: 'https://example.com/a.svg' }, 'previewImage', 'PNG, JPEG or WebP'],
    [{ previewImage: 'http://example.com/a.png' }, 'previewImage', 'starts with https://'],
    [{ password: 'ü'.repeat(513) }, 'password', 'at most 1,024 bytes'],
  ] as const)('%j is refused at its field', (change, field, text) => {
    expect(read(change)).toMatchObject({ ok: false, field, text: expect.stringContaining(text) })
  })
})
