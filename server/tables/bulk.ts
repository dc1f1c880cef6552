import type { Config } from '../config.ts'
import { ifError } from '../primitives/caught-error.ts'
import { checkRedirectStatus } from './check-redirect-status.ts'
import { checkUrls } from './check-urls.ts'
import { ProtocolError, rowProblem } from './errors.ts'
import type { Limits } from './limits.ts'
import type { RelationRules } from './rules.ts'
import { isRow, type Row } from './table-request.ts'

interface RowChecks {
  ownHosts: readonly string[]
  limits: Limits
  config: Pick<Config, 'visits'>
  hash: (row: Row) => Promise<Row>
}

/**
 * Checks the addresses of each row; a row that is refused is replaced by the reason, which the function answers with. The
 * answer to a row that names a code tells whether it exists, also when the row fails for another reason: each is a guess.
 */
export async function checkRows(
  list: unknown,
  rules: RelationRules,
  { ownHosts, limits, config, hash }: RowChecks,
): Promise<unknown> {
  const { urls = {}, claims } = rules
  // The function refuses anything else.
  if (!Array.isArray(list)) return list
  const checked: unknown[] = []
  for (const row of list) checked.push(await checkRow(row))
  return checked

  async function checkRow(row: unknown): Promise<unknown> {
    if (!isRow(row)) return row
    // Only the server says that a row was refused.
    const { error: _, ...given } = row
    return checkGiven(given).catch(ifError(ProtocolError, refusedRow))
  }

  async function checkGiven(row: Row): Promise<Row> {
    checkRedirectStatus(row, rules, config)
    const checked = await hash(checkUrls(row, urls, ownHosts))
    if (namesCode(row, claims)) limits.claim(1)
    return checked
  }
}

function refusedRow({ problem }: ProtocolError) {
  const { code, message, details = null, hint = null } = problem
  return { error: { code, message, details, hint } }
}

function namesCode(row: unknown, claims: string | undefined): boolean {
  return isRow(row) && claims !== undefined && (row[claims] ?? '') !== ''
}

interface RowAnswer {
  index: number
  link?: unknown
  error?: { code: string; constraint?: string; column?: string }
}

/**
 * Gives the errors of single rows the texts that people read, and guesses back: a row that was made or changed told nothing
 * about the codes of others.
 *
 * @param body JSON, as the function returned it
 * @param list the rows that were asked for
 */
export function presentRows(
  body: string,
  list: unknown,
  { claims }: RelationRules,
  limits: Limits,
): string {
  const rows: unknown[] = Array.isArray(list) ? list : []
  const answers = JSON.parse(body) as RowAnswer[]
  const presented = answers.map((answer) => {
    if (answer.error) return { ...answer, error: rowProblem(answer.error) }
    if (namesCode(rows[answer.index], claims)) limits.giveGuessBack()
    return answer
  })
  return JSON.stringify(presented)
}
