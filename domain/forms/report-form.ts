import { checkDestination } from '#domain/links/destinations.ts'
import { emailMaxLength, readEmailAddress } from './email-address.ts'

/** Reasons of a report, in the order of the form. The values are those of the database. */
export const reportReasons = [
  { value: 'phishing', label: 'Phishing: it asks for passwords or money under a false name' },
  { value: 'malware', label: 'Malware or a harmful download' },
  { value: 'spam', label: 'Spam' },
  { value: 'impersonation', label: 'Impersonation of a person or a brand' },
  { value: 'illegal', label: 'Illegal content' },
  { value: 'other', label: 'Something else' },
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
  /** Name in the `/{code}` namespace, lower case. It may name nothing. */
  name: string
  reason: (typeof reportReasons)[number]['value']
  details: string
  /** Where an answer goes, if the visitor wants one. */
  email: string | undefined
}

/** One message a field, in the order of the form. */
export type ReportErrors = Partial<Record<keyof TypedReport, string>>

/** The address of the form for one link or page. */
export function reportHref(name: string): string {
  return `/report?name=${name}`
}

/**
 * The name in a typed text: `name`, `host/name` or a whole address. Undefined when there is none, or when the
 * host is none of `ownHosts`.
 */
export function reportedName(typed: string, ownHosts: readonly string[]): string | undefined {
  const [, host, name] =
    /^(?:(?:https?:\/\/)?([^\s/?#]+)\/)?([a-z0-9_-]{1,64})\/?(?:[?#]\S*)?$/i.exec(typed.trim()) ??
    []
  return host !== undefined && !isOwnHost(host, ownHosts) ? undefined : name?.toLowerCase()
}

function isOwnHost(host: string, ownHosts: readonly string[]): boolean {
  const checked = checkDestination(`http://${host}/`, { ownHosts })
  return !checked.ok && checked.reason === 'own-host'
}

/** Checks a typed report. Line breaks count as one character each, as the browser counts them. */
export function checkReport(
  typed: TypedReport,
  ownHosts: readonly string[],
): { report: Report } | { errors: ReportErrors } {
  const name = reportedName(typed.name, ownHosts)
  const reason = reportReasons.find(({ value }) => value === typed.reason)?.value
  const details = typed.details.replace(/\r\n?/g, '\n').replaceAll('\0', '').trim()
  const isAnonymous = typed.email.trim() === ''
  const email = readEmailAddress(typed.email)
  const errors: ReportErrors = {}
  if (name === undefined) errors.name = 'Please enter the address of the link or page'
  if (reason === undefined) errors.reason = 'Please choose what is wrong'
  if (details.length > reportLimits.details)
    errors.details = `Please use at most ${reportLimits.details.toLocaleString('en')} characters`
  if (!isAnonymous && email === undefined) errors.email = 'Invalid email address'
  if (name === undefined || reason === undefined || Object.keys(errors).length > 0)
    return { errors }
  return { report: { name, reason, details, email } }
}
