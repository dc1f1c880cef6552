import { socialAddress } from '#domain/bio-form.ts'
import { checkDestination } from '#domain/destinations.ts'
import { problems } from './errors.ts'
import type { Relation, UrlRule } from './exposure.ts'

/**
 * Checks every address that a write would store, and answers with the rows as they are to be stored: with each
 * address in its canonical form. `ownHosts` are this server's (only a link's destination could lead in a circle).
 *
 * @throws {ProtocolError} 23514 'Invalid URL'
 */
export function checkUrls(
  relation: Relation,
  row: Record<string, unknown>,
  ownHosts: readonly string[],
): Record<string, unknown> {
  const checked = { ...row }
  for (const [column, rule] of Object.entries(relation.urls ?? {})) {
    if (column in row) checked[column] = checkUrl(row[column], rule, row, ownHosts)
  }
  return checked
}

/**
 * The same for a list of rows that is the argument of a function. A row with a blank content column is left as it is:
 * such rows are skipped by the function, or refused by the table.
 *
 * @throws {ProtocolError} 23514 'Invalid URL'
 */
export function checkListedUrls(
  relation: Relation,
  list: unknown,
  ownHosts: readonly string[],
): unknown {
  const rows = typeof list === 'string' ? parseList(list) : list
  // Anything else is for the function to refuse.
  if (!Array.isArray(rows)) return rows
  return rows.map((row: unknown) => {
    if (!isRow(row)) return row
    const blank = relation.access.authenticated?.insert?.some(
      (column) => column in row && isBlank(row[column]),
    )
    return blank ? row : checkUrls(relation, row, ownHosts)
  })
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isBlank(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '')
}

function checkUrl(
  value: unknown,
  rule: UrlRule,
  row: Record<string, unknown>,
  ownHosts: readonly string[],
): unknown {
  // Whether a column may be empty is for the database to say.
  if (value === null || value === undefined) return value
  if (typeof value !== 'string') throw problems.destination()
  if (value === '' && (rule === 'optional-address' || rule === 'image')) return value
  // Two forms of their own, that the database's CHECK spells out: our own pictures, and mail.
  if (rule === 'image' && value.startsWith('/media/')) return value
  const mail = row.platform === undefined || row.platform === 'email'
  if (rule === 'social' && mail) {
    if (/^mailto:/i.test(value)) return value
    // A plain address is stored as the form stores it.
    const address = socialAddress('email', value)
    if (address?.startsWith('mailto:')) return address
  }
  const result = checkDestination(value, { ownHosts: rule === 'destination' ? ownHosts : [] })
  if (!result.ok) throw problems.destination()
  return result.url
}
