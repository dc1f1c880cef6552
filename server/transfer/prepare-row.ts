import { randomUUID } from 'node:crypto'
import { destinationNotice } from '#domain/links/destination-notice.ts'
import { checkDestination, type DestinationProblem } from '#domain/links/destinations.ts'
import { customCodeProblem, normalizeShortCode } from '#domain/links/short-codes.ts'
import { parseRules } from '#domain/visits/parse-rules.ts'
import { ruleProblemSentence } from '#domain/visits/rules-reader.ts'
import type { Imported, ImportedLink } from '#domain/transfer/imported.ts'

/** A row as `app.check_import_rows` takes it. Without a link it is refused for its first note. */
export interface PreparedRow {
  place: number
  label: string
  link: Record<string, unknown> | null
  notes: string[]
  losses: readonly string[]
  /** Decided without the database. */
  outcome?: 'taken'
}

interface RowContext {
  place: number
  source: string
  ownHosts: readonly string[]
  /** Whether the operator allows permanent redirects. */
  allowsPermanent: boolean
  places: ImportPlaces
}

/** Hosts of the links that an import makes; '' is that of the server. */
export interface ImportPlaces {
  /** Domains of the account: links from there keep their host. */
  domains: readonly string[]
  /** The host of all other links. */
  domain: string
}

/** Checks a record that was read by the rules of the form and the API. */
export function prepareRow(imported: Imported, context: RowContext): PreparedRow {
  const { place } = context
  if (imported.kind === 'refused')
    return { place, label: imported.label, link: null, notes: [imported.refusal], losses: [] }
  if (imported.kind === 'link') return prepareLink(imported, context)
  if (imported.kind === 'item') {
    const { label, item, notes = [] } = imported
    // A page is on a domain of the account, or where its links go.
    const { domains, domain } = context.places
    const at =
      typeof item['domain'] === 'string' && domains.includes(item['domain']) ? {} : { domain }
    const link = { ...item, ...(item['kind'] === 'bio_page' && at) }
    return { place, label, link, notes: [...notes], losses: [] }
  }
  const { entry: kind, title, losses } = imported
  const label = title || imported.url
  if (kind === 'header') return { place, label, link: { kind, title }, notes: [], losses }
  const checked = checkDestination(imported.url, { ownHosts: [] })
  if (!checked.ok)
    return {
      place,
      label,
      link: null,
      notes: [refusalOf(checked.reason)],
      losses,
    }
  return { place, label, link: { kind, title, url: checked.url }, notes: [], losses }
}

function prepareLink(imported: ImportedLink, context: RowContext): PreparedRow {
  const { place, source, ownHosts, allowsPermanent, places } = context
  const label = imported.formerUrl ?? imported.code ?? imported.url
  const losses = [...imported.losses]
  const notes: string[] = []
  const checked = checkDestination(imported.url, { ownHosts })
  if (!checked.ok)
    return {
      place,
      label,
      link: null,
      notes: [refusalOf(checked.reason)],
      losses,
    }
  const columns: Record<string, unknown> = { ...imported.columns }
  const status = imported.columns.redirect_status
  if ((status === 301 || status === 308) && !allowsPermanent) {
    delete columns['redirect_status']
    losses.push('permanent redirect')
  }
  const rules = rulesOf(imported.rules, columns, ownHosts, losses, notes)
  const row = {
    ...columns,
    original_url: checked.url,
    domain: hostOf(imported, places),
    ...(rules && { rules }),
    ...(imported.extras && { extras: imported.extras }),
    ...(imported.createdAt !== undefined && { created_at: imported.createdAt }),
    ...(imported.clicksBefore !== undefined && { clicks_before: imported.clicksBefore }),
    ...(imported.formerUrl !== undefined && { former_url: imported.formerUrl.slice(0, 300) }),
    ...(imported.sourceId !== undefined &&
      columns['external_id'] === undefined && {
        external_id: `${source}:${imported.sourceId}`.slice(0, 200),
      }),
  }
  return { place, label, losses, ...withCode(row, imported.code, notes) }
}

function hostOf({ formerUrl, host }: ImportedLink, { domains, domain }: ImportPlaces): string {
  const former = host ?? formerUrl?.split('/')[0]?.replace(/:\d+$/, '').toLowerCase()
  return former !== undefined && domains.includes(former) ? former : domain
}

/** Rules that Hoplet refuses leave the link off, because its visitors would go elsewhere than before. */
function rulesOf(
  rules: unknown,
  columns: Record<string, unknown>,
  ownHosts: readonly string[],
  losses: string[],
  notes: string[],
) {
  if (rules === undefined) return undefined
  const parsed = parseRules(rules, { ownHosts, newId: randomUUID })
  if (parsed.ok) return parsed.rules.length > 0 ? parsed.rules : undefined
  columns['is_disabled'] = true
  losses.push('rules')
  const [first] = parsed.problems
  if (first) notes.push(ruleProblemSentence(first))
  return undefined
}

function withCode(
  link: Record<string, unknown>,
  code: string | undefined,
  notes: string[],
): Pick<PreparedRow, 'link' | 'notes' | 'outcome'> {
  if (code === undefined || code === '') return { link, notes }
  const problem = customCodeProblem(normalizeShortCode(code))
  if (problem !== null) {
    const says =
      problem === 'length'
        ? 'A code has 3 to 50 characters.'
        : 'A code has only letters, digits, hyphens and underscores.'
    return { link, notes: [...notes, says], outcome: 'taken' }
  }
  if (code !== code.toLowerCase()) notes.push('lower case')
  return { link: { ...link, short_code: code.trim() }, notes }
}

function refusalOf(problem: DestinationProblem): string {
  const { title, description } = destinationNotice(problem)
  return description ?? title
}
