import { readableUrl } from '#domain/links/readable-url.ts'
import type { DestinationFinding } from '#web/api/database.ts'
import { shortDayOf } from '#web/ui/time-words.ts'

const words: Partial<Record<string, string>> = {
  '404': 'page not found',
  '410': 'page gone',
  name: 'no such host',
  refused: 'connection refused',
  closed: 'connection closed',
  unreachable: 'host not reachable',
  timeout: 'no answer in time',
  expired: 'expired',
  'not-yet-valid': 'not valid yet',
  'self-signed': 'self-signed',
  'other-name': 'for another host',
}

interface Found {
  finding: DestinationFinding
  reason: string | null
  since: string | null
  new_url: string | null
}

/** The problem of a destination, as a sentence without its end. */
export function findingWords({ finding, reason, since, new_url: newUrl }: Found): string {
  const why = words[reason ?? ''] ?? `error ${reason}`
  const from = since === null ? '' : ` since ${shortDayOf(since)}`
  if (finding === 'moved') return `Moved to ${readableUrl(newUrl ?? '')}`
  if (finding === 'certificate') return `Bad certificate${from}: ${why}`
  return `Destination does not answer${from}: ${why}`
}
