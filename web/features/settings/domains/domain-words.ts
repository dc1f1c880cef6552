import { useEffect, useState } from 'react'
import { domainProblemSentences, domainTexts } from '#domain/texts/domain-texts.ts'
import type { DomainRecord, AccountDomain } from '#web/api/database.ts'
import { readableUrl } from '#domain/links/readable-url.ts'
import { shownHost } from '#web/shown-link.ts'

/** Seconds that name servers may keep an answer, kind to people who correct one. */
const recordTtl = 300

/** Records as the lines of a zone file, which DNS admins read and providers import. */
export function zoneLines(records: readonly DomainRecord[]): string {
  return records
    .map(({ type, name, value }) => `${name}. ${recordTtl} IN ${type} ${zoneValue(type, value)}`)
    .join('\n')
}

function zoneValue(type: string, value: string): string {
  if (type === 'TXT') return `"${value}"`
  return type === 'CNAME' ? `${value}.` : value
}

/** An email with the records, for the program that writes mails on this device. */
export function recordsMail({ host, records }: AccountDomain): string {
  const subject = `DNS records for ${shownHost(host)}`
  const body = [
    `Please create these DNS records for ${shownHost(host)}:`,
    zoneLines(records),
    'The first proves that the domain is ours. The others lead its short links to our server.',
  ].join('\n\n')
  return `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`
}

/** Where the root or the missing codes of a domain lead. */
export function targetWords(target: string | null): string {
  if (target === null) return 'plain page'
  return target === 'bio' ? 'bio page' : readableUrl(target).replace(/^https?:\/\//, '')
}

/** The sentences about a domain that needs something; none for one that is done. */
export function problemWords(domain: AccountDomain): string | undefined {
  const { is_verified: isVerified, is_probed: isProbed, has_certificate: hasCertificate } = domain
  const { problem } = domain
  if (problem === 'unreachable' && isVerified) return domainTexts.certificate
  if (problem !== null) {
    const sentence = domainProblemSentences[problem]
    return isVerified && problem !== 'caa' ? `${sentence} ${domainTexts.grace}` : sentence
  }
  return isVerified && isProbed && !hasCertificate ? domainTexts.certificate : undefined
}

const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Time that has passed, in a sentence: 40 seconds ago. */
function agoWords(instant: string, now: number): string {
  const passed = now - Date.parse(instant)
  if (passed < 2 * second) return 'just now'
  if (passed < minute) return ago.format(-Math.floor(passed / second), 'second')
  if (passed < hour) return ago.format(-Math.floor(passed / minute), 'minute')
  if (passed < day) return ago.format(-Math.floor(passed / hour), 'hour')
  return ago.format(-Math.floor(passed / day), 'day')
}

/** When a domain was checked last, in words that follow the clock. */
export function useCheckedWords(checkedAt: string | null): string {
  const [now, setNow] = useState(Date.now)
  const isRecent = checkedAt !== null && now - Date.parse(checkedAt) < hour
  useEffect(() => {
    if (!isRecent) return undefined
    const timer = setInterval(() => setNow(Date.now()), 5 * second)
    return () => clearInterval(timer)
  }, [isRecent])
  // An answer may be newer than the last tick.
  const latest = checkedAt === null ? now : Math.max(now, Date.parse(checkedAt))
  return checkedAt === null ? 'Not checked yet' : `Checked ${agoWords(checkedAt, latest)}`
}
