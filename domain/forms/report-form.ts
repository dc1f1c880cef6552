import { checkDestination } from '#domain/links/destinations.ts'
import { emailMaxLength, readEmailAddress } from './email-address.ts'

/** Reasons of a report, in the order of the form. They are those of the database. */
export const reportReasons = [
  'phishing',
  'malware',
  'spam',
  'impersonation',
  'illegal',
  'other',
] as const

export const reportLimits = { details: 1_000, email: emailMaxLength } as const

/** The unchanged input of the form. */
export interface TypedReport {
  name: string
  reason: string
  details: string
  email: string
}

export interface Report {
  /** Name in the `/{code}` namespace, lower case; stored as the key of a name at its host. It may name nothing. */
  name: string
  reason: (typeof reportReasons)[number]
  details: string
  /** Where an answer goes, if the visitor wants one. */
  email: string | undefined
}

export type ReportField = keyof TypedReport

/** The address of the form for one link or page. */
export function reportHref(name: string): string {
  return `/report?name=${name}`
}

/**
 * The name in a typed text: `name`, `host/name` or a whole address. Undefined when there is none, or when the
 * host is none of `ownHosts`.
 */
export function reportedName(typed: string, ownHosts: readonly string[]): string | undefined {
  const [, host, scanned, name = scanned] =
    /^(?:(?:https?:\/\/)?([^\s/?#]+)\/)?(?:q\/([a-z0-9_-]{1,64})(?:\/[a-z0-9]{2,8})?|([a-z0-9_-]{1,64}))\/?(?:[?#]\S*)?$/i.exec(
      typed.trim(),
    ) ?? []
  return host !== undefined && !isOwnHost(host, ownHosts) ? undefined : name?.toLowerCase()
}

function isOwnHost(host: string, ownHosts: readonly string[]): boolean {
  const checked = checkDestination(`http://${host}/`, { ownHosts })
  return !checked.ok && checked.reason === 'own-host'
}

/** Checks a typed report: it becomes a report, or names its invalid fields in the order of the form. Line breaks count as one character each, as the browser counts them. */
export function checkReport(
  typed: TypedReport,
  ownHosts: readonly string[],
): { report: Report } | { invalid: ReportField[] } {
  const name = reportedName(typed.name, ownHosts)
  const reason = reportReasons.find((known) => known === typed.reason)
  const details = typed.details.replace(/\r\n?/g, '\n').replaceAll('\0', '').trim()
  const isAnonymous = typed.email.trim() === ''
  const email = readEmailAddress(typed.email)
  const invalid: ReportField[] = []
  if (name === undefined) invalid.push('name')
  if (reason === undefined) invalid.push('reason')
  if (details.length > reportLimits.details) invalid.push('details')
  if (!isAnonymous && email === undefined) invalid.push('email')
  if (name === undefined || reason === undefined || invalid.length > 0) return { invalid }
  return { report: { name, reason, details, email } }
}
