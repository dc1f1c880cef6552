import { brokenExpectationNames } from '#domain/visits/broken-expectations.ts'
import type { Notice } from '#domain/texts/texts.ts'

export interface TableError {
  code: string
  message: string
  details: string | null
  hint: string | null
}

/** Codes of rows that break a rule, or that name another row that is gone. */
const refusals = ['23503', '23514']

/** The sentence of the database for a row that it refuses, or that is one too many; undefined for other errors. */
export function refusalNotice({
  code,
  message,
  details,
  hint,
}: TableError | (Error & Partial<TableError>)): Notice | undefined {
  // Its message is for programs: it names a header.
  if (hint === 'expectation_failed')
    return {
      title: 'This change breaks an expectation',
      description: brokenExpectationNames(details ?? message).join(', '),
    }
  if (!refusals.includes(code ?? '') && hint !== 'too_many_rows') return undefined
  return details ? { title: message, description: details } : { title: message }
}
