import { socialAddress } from '#domain/bio/bio-form.ts'
import { checkDestination } from '#domain/links/destinations.ts'
import { problems } from '../errors.ts'
import type { UrlRule } from '../rule-types.ts'
import { isRow, type Row } from '../table-request.ts'

type UrlRules = Readonly<Record<string, UrlRule>>

/**
 * Checks every address that a write would store, and returns the row with each address in its canonical form.
 *
 * @param urls the columns that hold addresses
 * @param ownHosts this server's: only a link's destination could lead in a circle
 * @throws {ProtocolError} 23514 'Invalid URL'
 */
export function checkUrls(row: Row, urls: UrlRules, ownHosts: readonly string[]): Row {
  const checked = { ...row }
  for (const [column, rule] of Object.entries(urls)) {
    if (column in row) checked[column] = checkUrl(row[column], rule, row, ownHosts)
  }
  return checked
}

/**
 * Checks the addresses of a list of rows that is the argument of a function. A row with a blank column is left as it is:
 * the function skips it, or the table refuses it.
 *
 * @param needed the columns of which none may be blank
 * @throws {ProtocolError} 23514 'Invalid URL'
 */
export function checkListedUrls(
  list: unknown,
  urls: UrlRules,
  needed: readonly string[],
  ownHosts: readonly string[],
): unknown {
  const rows = typeof list === 'string' ? parseList(list) : list
  // The function refuses anything else.
  if (!Array.isArray(rows)) return rows
  return rows.map((row: unknown) => {
    if (!isRow(row)) return row
    const blank = needed.some((column) => column in row && isBlank(row[column]))
    return blank ? row : checkUrls(row, urls, ownHosts)
  })
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function isBlank(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '')
}

const mayBeEmpty = new Set<UrlRule>(['optional-address', 'optional-destination', 'image'])

function checkUrl(value: unknown, rule: UrlRule, row: Row, ownHosts: readonly string[]): unknown {
  // The database decides whether a column may be empty.
  if (value === null || value === undefined) return value
  if (typeof value !== 'string') throw problems.destination('syntax')
  if (value === '' && mayBeEmpty.has(rule)) return value
  // Two forms that checkDestination does not know, but the database's CHECK does: our own pictures, and mail.
  if (rule === 'image' && value.startsWith('/media/')) return value
  const mail = row.platform === undefined || row.platform === 'email'
  if (rule === 'social' && mail) {
    // Stored as the form stores it.
    const address = socialAddress('email', value)
    if (address?.startsWith('mailto:')) return address
  }
  const result = checkDestination(value, { ownHosts: rule.endsWith('destination') ? ownHosts : [] })
  if (!result.ok) throw problems.destination(result.reason)
  return result.url
}
