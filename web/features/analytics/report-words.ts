import type { HitVerdict } from '#domain/reports/hits.ts'

export const numbers = new Intl.NumberFormat()
const compact = new Intl.NumberFormat(undefined, {
  notation: 'compact',
  maximumSignificantDigits: 3,
})

/** A figure, marked when it is estimated. From a hundred thousand on its first three digits, where `isShort`. */
export function figure(count: number, sampled: number | null, isShort = false): string {
  const words = isShort && count >= 100_000 ? compact.format(count) : numbers.format(count)
  return sampled === null ? words : `≈${words}`
}

export function countOfClicks(count: number, sampled: number | null = null): string {
  return `${figure(count, sampled)} ${count === 1 ? 'click' : 'clicks'}`
}

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 })

/** The share of a whole: 12%, and <1% for a small share that would be 0%. */
export function shareWords(count: number, whole: number): string {
  if (whole <= 0 || count <= 0) return '0%'
  const share = Math.min(1, count / whole)
  return share < 0.005 ? '<1%' : percent.format(share)
}

/** Names of the verdicts in lists, and their meaning for a hit. */
export const verdictWords: Readonly<Record<HitVerdict, { name: string; reason: string }>> = {
  counted: { name: 'Counted', reason: 'Counted' },
  repeat: { name: 'Repeat clicks', reason: 'Repeat within 30 minutes' },
  own: { name: 'My visits', reason: 'Your own visit' },
  head: { name: 'HEAD requests', reason: 'HEAD request' },
  prefetch: { name: 'Prefetches', reason: 'Prefetched, not opened' },
  previewer: { name: 'Link previews', reason: 'Link preview' },
  crawler: { name: 'Crawlers', reason: 'Crawler' },
  monitor: { name: 'Monitors', reason: 'Uptime monitor' },
  program: { name: 'Programs', reason: 'Program, not a browser' },
  password: { name: 'Password pages', reason: 'Saw the password page' },
  preview_page: { name: 'Preview pages', reason: 'Saw the preview page' },
  not_yet: { name: 'Too early', reason: 'Before the start date' },
  ended: { name: 'Too late', reason: 'After the end' },
  imported: { name: 'Imported', reason: 'Imported from an archive' },
}

export const reportTexts = {
  failed: 'Failed to load the analytics',
  listFailed: 'This list could not be loaded.',
  nothing: 'Nothing in this time',
  visitorsRule:
    'Visitors are told apart by a keyed hash of address and browser. The address itself is never stored. The key is replaced every day (UTC) and forgotten after two, so no one can be followed from one day to the next: a person who comes on two days is two visitors.',
} as const
