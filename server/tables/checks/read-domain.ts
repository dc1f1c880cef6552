import { parse } from 'tldts'
import {
  type DomainHostProblem,
  domainHostSentences,
  readDomainHost,
} from '#domain/domains/domain-host.ts'
import { checkDestination } from '#domain/links/destinations.ts'
import { problems } from '../errors.ts'

/**
 * Reads the host of a new domain. Its stored form is the host and its registered domain, separated by a space: a trigger stores both
 * (database/code/05_domains.sql), because PostgreSQL has no list of public suffixes.
 *
 * @throws {ProtocolError} 23514 with a sentence
 */
export function readHostOfDomain(value: unknown): string {
  const check = readDomainHost(typeof value === 'string' ? value : '')
  if (!check.ok) throw refusal(check.reason)
  const { host } = check
  const { domain } = parse(host, { allowPrivateDomains: true, extractHostname: false })
  if (domain === null) throw refusal('public-suffix')
  return `${host} ${domain}`
}

function refusal(reason: DomainHostProblem): Error {
  return problems.sentence(domainHostSentences[reason])
}

/**
 * Reads where the root or the missing codes of a domain lead: an address, `bio` for the account's bio page, or null for a plain page.
 *
 * @throws {ProtocolError} 23514
 */
export function readDomainTarget(value: unknown): string | null {
  if (value === null || value === '') return null
  if (value === 'bio') return value
  const check = checkDestination(typeof value === 'string' ? value : '', { ownHosts: [] })
  if (!check.ok) throw problems.destination(check.reason)
  return check.url
}
