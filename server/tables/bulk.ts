import type { Config } from '../config.ts'
import { ifError } from '../primitives/caught-error.ts'
import { createSlices } from '../primitives/slices.ts'
import { checkRedirectStatus } from './checks/check-redirect-status.ts'
import { checkUrls } from './checks/check-urls.ts'
import { readLinkRules } from './checks/read-link-rules.ts'
import { ProtocolError, rowProblem } from './errors.ts'
import type { Limits } from './limits.ts'
import { BrokenExpectationsError } from './checks/keep-expectations.ts'
import type { StatementResult } from './compile.ts'
import type { RelationRules } from './rule-types.ts'
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
  const pause = createSlices()
  for (const row of list) {
    checked.push(await checkRow(row))
    await pause()
  }
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
    if (isRow(row) && Array.isArray(row['rules']))
      checked['rules'] = readLinkRules(row['rules'], { ownHosts })
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
  link?: { id?: string }
  error?: { code: string; constraint?: string; column?: string }
}

const maxRuns = 3

/**
 * Runs a function over rows. A row that would break an expectation of its link is refused like other rows, and the function runs
 * again with the rest: expectations are known only after the whole write.
 *
 * @param argument that lists the rows
 */
export async function runRows(
  argument: string,
  given: Row,
  run: (given: Row) => Promise<StatementResult>,
): Promise<StatementResult> {
  let rest = given
  for (let runs = 1; ; runs++) {
    const answer = await run(rest).catch(ifError(BrokenExpectationsError, (error) => error))
    if (!(answer instanceof BrokenExpectationsError)) return answer
    const rows: unknown = rest[argument]
    if (runs === maxRuns || !Array.isArray(rows)) throw answer
    rest = { ...rest, [argument]: withoutBroken(rows, answer) }
  }
}

function withoutBroken(
  rows: readonly unknown[],
  { result, refusals }: BrokenExpectationsError,
): unknown[] {
  const { body } = result as StatementResult
  const answers = JSON.parse(body ?? '[]') as RowAnswer[]
  const links = new Map(answers.map(({ index, link }) => [index, link?.id ?? '']))
  return rows.map((row, index) => {
    const refusal = refusals.get(links.get(index) ?? '')
    return refusal ? refusedRow(refusal) : row
  })
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
