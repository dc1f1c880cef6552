import { readableUrl } from '#domain/links/readable-url.ts'
import type { LinkRow } from '#web/api/database.ts'
import { momentOf } from '#web/ui/time-words.ts'
import { clicksLeft, isPast } from '../link-marks.ts'

const numbers = new Intl.NumberFormat()

/** A sentence for each option of a link that is set; title, note and tags have other places. */
export function optionWordsOf(link: LinkRow, now = Date.now()): string[] {
  return [...scheduleWords(link, now), ...accessWords(link), ...redirectWords(link)]
}

function scheduleWords(link: LinkRow, now: number): string[] {
  const { starts_at, ends_at, max_clicks, fallback_url } = link
  const words: string[] = []
  if (starts_at !== null)
    words.push(`${isPast(starts_at, now) ? 'Started' : 'Starts'} ${momentOf(starts_at)}.`)
  if (ends_at !== null)
    words.push(`${isPast(ends_at, now) ? 'Ended' : 'Ends'} ${momentOf(ends_at)}.`)
  if (max_clicks !== null) {
    const left = clicksLeft(link)
    const clicks = `${numbers.format(max_clicks)} ${max_clicks === 1 ? 'click' : 'clicks'}`
    if (left === undefined) words.push(`Ends after ${clicks}.`)
    else if (left === 0) words.push(`Ended after ${clicks}.`)
    else words.push(`Ends after ${clicks}: ${numbers.format(left)} left.`)
  }
  if (fallback_url !== null)
    words.push(`Outside this time visitors go to ${readableUrl(fallback_url)}.`)
  return words
}

function accessWords(link: LinkRow): string[] {
  const words: string[] = []
  if (link.has_password) words.push('Visitors enter a password.')
  if (!link.show_preview_page) words.push('The preview page is off.')
  if (link.archived_at !== null) words.push('Archived: hidden in your list, and still redirects.')
  return words
}

function redirectWords(link: LinkRow): string[] {
  const words: string[] = []
  if (link.forward_query !== 'none') {
    const names = link.forward_query.replaceAll(',', ', ')
    const parameters = link.forward_query === 'all' ? 'all query parameters' : `${names}`
    const winner = link.forward_overrides ? ', which replace those of the destination' : ''
    words.push(`Forwards ${parameters}${winner}.`)
  }
  if (link.redirect_status !== 302) words.push(`Redirects with status ${link.redirect_status}.`)
  if (
    link.preview_title !== null ||
    link.preview_description !== null ||
    link.preview_image_url !== null
  )
    words.push(
      link.preview_title === null
        ? 'Chats show a custom preview.'
        : `Chats show the preview “${link.preview_title}”.`,
    )
  return words
}
