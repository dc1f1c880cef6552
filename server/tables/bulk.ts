import { checkUrls } from './check-urls.ts'
import { ProtocolError, rowProblem } from './errors.ts'
import type { UrlRule } from './rules.ts'
import { isRow } from './table-request.ts'

/** Checks the addresses of each row; a row that is refused is replaced by the reason, which the function answers with. */
export function checkRows(
  list: unknown,
  urls: Readonly<Record<string, UrlRule>>,
  ownHosts: readonly string[],
): unknown {
  // The function refuses anything else.
  if (!Array.isArray(list)) return list
  return list.map((row: unknown) => {
    if (!isRow(row)) return row
    // Only the server says that a row was refused.
    const { error: _, ...given } = row
    try {
      return checkUrls(given, urls, ownHosts)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      const { code, message, details = null, hint = null } = error.problem
      return { error: { code, message, details, hint } }
    }
  })
}

interface RowAnswer {
  error?: { code: string; constraint?: string; column?: string }
}

/**
 * Gives the errors of single rows the texts that people read.
 *
 * @param body JSON, as the function returned it
 * @returns the body, and how many rows asked for a name that is taken
 */
export function presentRows(body: string): { body: string; taken: number } {
  const answers = JSON.parse(body) as RowAnswer[]
  const taken = answers.filter(({ error }) => error?.constraint === takenCode).length
  const presented = answers.map((answer) =>
    answer.error ? { ...answer, error: rowProblem(answer.error) } : answer,
  )
  return { body: JSON.stringify(presented), taken }
}

const takenCode = 'shortened_urls_short_code_key'
