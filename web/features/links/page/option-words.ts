import { readableUrl } from '#domain/links/readable-url.ts'
import type { LinkRow } from '#web/api/database.ts'
import { momentOf } from '#web/ui/time-words.ts'
import { clicksLeft, isPast } from '../link-marks.ts'

const numbers = new Intl.NumberFormat()

/** A sentence for each limit of a link in time. */
export function scheduleWords(link: LinkRow, now = Date.now()): string[] {
  const { starts_at, ends_at, max_clicks, fallback_url } = link
  const words: string[] = []
  if (starts_at !== null)
    words.push(`${isPast(starts_at, now) ? 'Started' : 'Starts'} ${momentOf(starts_at)}`)
  if (ends_at !== null)
    words.push(`${isPast(ends_at, now) ? 'Ended' : 'Ends'} ${momentOf(ends_at)}`)
  if (max_clicks !== null) {
    const left = clicksLeft(link)
    const clicks = `${numbers.format(max_clicks)} ${max_clicks === 1 ? 'click' : 'clicks'}`
    if (left === undefined) words.push(`Ends after ${clicks}`)
    else if (left === 0) words.push(`Ended after ${clicks}`)
    else words.push(`Ends after ${clicks}: ${numbers.format(left)} left`)
  }
  if (fallback_url !== null)
    words.push(`Outside this time visitors go to ${readableUrl(fallback_url)}`)
  return words
}

/** Which query parameters of a visit go on to the destination. */
export function forwardingWords({ forward_query: query, forward_overrides }: LinkRow): string {
  if (query === 'none') return 'Passes no query parameters on'
  const names = query.split(',')
  const parameters =
    query === 'all'
      ? 'all query parameters'
      : new Intl.ListFormat('en', { type: 'conjunction' }).format(names)
  return `Passes ${parameters} on${forward_overrides ? ', in place of those of the destination' : ''}`
}

/** The preview of a link in chats. */
export function previewWords(link: LinkRow): string {
  const { preview_title: title, preview_description, preview_image_url } = link
  if (title !== null) return `Chat apps show the preview “${title}”`
  return preview_description !== null || preview_image_url !== null
    ? 'Chat apps show a preview of your own'
    : 'Chat apps show the page’s own preview'
}
