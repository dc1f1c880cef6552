import type { RequestInfo } from '../http/router.ts'
import type { Identity } from '../tokens/tokens.ts'
import type { Agent } from './bearer.ts'
import { orThrow } from '../primitives/or-throw.ts'
import { ifDefined } from '../primitives/if-defined.ts'
import { sha256Hex } from '../primitives/sha256.ts'

/** The table door of this process (tables/door.ts). */
export type AskTables = (
  request: Request,
  info: RequestInfo,
  known: Identity & { role: 'authenticated' },
) => Promise<Response>

interface Question {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Filters and `select`. */
  query?: Record<string, string>
  body?: unknown
  idempotencyKey?: string | undefined
  /** Saves a change that breaks an expectation of a link. */
  ignoresExpectations?: boolean | undefined
}

/** The table door with the agent's rights; answers are parsed. */
export interface Tables {
  /** @throws {ToolError} with the door's message */
  ask<Answer>(path: string, question?: Question): Promise<Answer>
  /** The only row of the answer. @throws {ToolError} with the door's message, or `missing` without a row */
  askOne<Row>(path: string, question: Question, missing: () => ToolError): Promise<Row>
}

/** A tool's answer instead of a result; the text is for the agent and its person. */
export class ToolError extends Error {
  name = 'ToolError'
}

/** The row does not exist, or belongs to another person. */
export class NotFoundError extends ToolError {
  name = 'NotFoundError'
}

/**
 * Calls the table door in this process. The caller is an argument and not a header, so that no request from outside can set it;
 * row security, scopes, quotas, checks of addresses and rate limits are the door's own.
 */
export function askTables(
  { config, tables }: { config: { publicUrl: string }; tables: AskTables },
  { identity }: Agent,
  info: RequestInfo,
): Tables {
  const ask = async <Answer>(path: string, question: Question = {}): Promise<Answer> => {
    const { method = 'GET', query = {}, body, idempotencyKey, ignoresExpectations } = question
    const prefer = ignoresExpectations ? ', expectations=ignore' : ''
    const url = `${config.publicUrl}/rest/v1/${path}?${new URLSearchParams(query)}`
    const request = new Request(url, {
      method,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(method !== 'GET' && { Prefer: `return=representation${prefer}` }),
        // A header takes no text of other scripts.
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': sha256Hex(idempotencyKey) }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const response = await tables(request, info, identity)
    const text = await response.text()
    // A procedure without a result has no body.
    const answer: unknown = text === '' ? null : JSON.parse(text)
    if (!response.ok) throw new ToolError(wordsOf(answer as Problem, response))
    return answer as Answer
  }
  return {
    ask,
    async askOne<Row>(path: string, question: Question, missing: () => ToolError): Promise<Row> {
      const [row] = await ask<Row[]>(path, question)
      return orThrow(row, missing) as Row
    },
  }
}

interface Problem {
  message: string
  details?: unknown
  hint?: string | null
}

function wordsOf({ message, details, hint }: Problem, { headers }: Response): string {
  const wait = headers.get('retry-after')
  return [
    message,
    typeof details === 'string' ? details : undefined,
    // A hint of one word is for programs.
    hint?.includes(' ') ? hint : undefined,
    ifDefined(wait, (seconds) => `Try again in ${seconds} s.`),
  ]
    .filter((part) => part !== undefined && part !== '')
    .join('. ')
    .replaceAll('..', '.')
}
