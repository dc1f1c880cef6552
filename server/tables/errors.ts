import pg from 'pg'
import {
  DatabaseUnavailableError,
  SecondFactorMissingError,
  SessionEndedError,
} from '../postgres/database.ts'
import { BodyError, BodyTooLargeError } from '../http/body.ts'
import { TokenError } from '../tokens/tokens.ts'
import { invalidUrl, sentences, uniqueSentences } from './sentences.ts'

interface Problem {
  status: number
  code: string
  message: string
  details?: string | null
  hint?: string | null
  headers?: Record<string, string>
}

/** A request that is answered with the table protocol's error body: `{code, details, hint, message}`. */
export class ProtocolError extends Error {
  name = 'ProtocolError'
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

/**
 * The catalog: every error of this door that is not the database's own. Codes and statuses are PostgREST's
 * (https://docs.postgrest.org/en/stable/references/errors.html), so that official clients understand them.
 */
export const problems = {
  unparsable: (what: string, text: string) =>
    problem(400, 'PGRST100', `failed to parse ${what} (${text.slice(0, 200)})`),
  body: (message: string) => problem(400, 'PGRST102', message),
  contentType: (type: string) =>
    problem(415, 'PGRST102', `Content-Type not acceptable: ${type.slice(0, 100)}`),
  range: (details: string) =>
    problem(416, 'PGRST103', 'Requested range not satisfiable', { details }),
  schema: (name: string, served: string) =>
    problem(406, 'PGRST106', `Invalid schema: ${name.slice(0, 63)}`, {
      hint: `Only the following schemas are exposed: ${served}`,
    }),
  mediaType: (accept: string) =>
    problem(406, 'PGRST107', `None of these media types are available: ${accept.slice(0, 200)}`),
  notEmbedded: (name: string) =>
    problem(400, 'PGRST108', `'${name.slice(0, 63)}' is not an embedded resource in this request`),
  limitedWrite: () =>
    problem(400, 'PGRST109', 'limit and offset are not available for this method', {
      hint: 'Use a filter, and Prefer: handling=strict, max-affected=N',
    }),
  notSingle: (count: number) =>
    problem(406, 'PGRST116', 'Cannot coerce the result to a single JSON object', {
      details: `The result contains ${count} rows`,
    }),
  method: (method: string, allow: string) =>
    problem(405, 'PGRST117', `Unsupported HTTP method: ${method.slice(0, 20)}`, {
      headers: { Allow: allow },
    }),
  preferences: (names: string[]) =>
    problem(400, 'PGRST122', 'Invalid preferences given', {
      details: `Invalid preferences: ${names.join(', ').slice(0, 200)}`,
    }),
  aggregate: () => problem(400, 'PGRST123', 'Use of aggregate functions is not allowed'),
  tooManyAffected: (count: number) =>
    problem(400, 'PGRST124', 'Query result exceeds max-affected preference constraint', {
      details: `The query affects ${count} rows`,
    }),
  maxAffectedOfValue: () =>
    problem(
      400,
      'PGRST128',
      'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
    ),
  path: () => problem(404, 'PGRST125', 'Invalid path specified in request URL'),
  relationship: (from: string, to: string) =>
    problem(
      400,
      'PGRST200',
      `Could not find a relationship between '${from}' and '${to.slice(0, 63)}' in the schema cache`,
      {
        details: 'Embedding is not available: read the two relations with two requests.',
      },
    ),
  unknownFunction: (name: string, args: string[]) =>
    problem(
      404,
      'PGRST202',
      `Could not find the function ${name.slice(0, 63)}(${args.join(', ').slice(0, 200)}) in the schema cache`,
    ),
  unknownColumnOfBody: (relation: string, column: string) =>
    problem(
      400,
      'PGRST204',
      `Could not find the '${column.slice(0, 63)}' column of '${relation}' in the schema cache`,
    ),
  unknownRelation: (name: string) =>
    problem(404, 'PGRST205', `Could not find the table '${name.slice(0, 63)}' in the schema cache`),
  unknownColumn: (relation: string, column: string) =>
    problem(400, '42703', `column ${relation}.${column.slice(0, 63)} does not exist`),
  denied: (what: string, anonymous: boolean) =>
    problem(anonymous ? 401 : 403, '42501', `permission denied for ${what}`),
  notForApps: (what: string) =>
    problem(403, 'insufficient_scope', `An app may not use ${what}`, {
      hint: 'The person has to do this themselves.',
    }),
  insufficientScope: (scope: string) =>
    problem(403, 'insufficient_scope', `This app was not allowed ${scope}`, {
      headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    }),
  unfiltered: (verb: 'UPDATE' | 'DELETE') =>
    problem(400, '21000', `${verb} requires a WHERE clause`),
  destination: () => problem(400, '23514', invalidUrl.message, { details: invalidUrl.details }),
  tooManyRequests: (seconds: number) =>
    problem(429, 'PT429', 'Too many requests', {
      details: `Please try again in ${seconds} s.`,
      headers: { 'Retry-After': String(seconds) },
    }),
}

function problem(
  status: number,
  code: string,
  message: string,
  rest: Pick<Problem, 'details' | 'hint' | 'headers'> = {},
): ProtocolError {
  return new ProtocolError({ status, code, message, ...rest })
}

/** Any error as the protocol says it; undefined for the unexpected, which the door logs and answers with a bare 500. */
export function toProblem(error: unknown, anonymous: boolean): Problem | undefined {
  if (error instanceof ProtocolError) return error.problem
  if (error instanceof TokenError) {
    const code = error.reason === 'expired' || error.reason === 'claims' ? 'PGRST303' : 'PGRST301'
    return unauthorized(code, error.message)
  }
  if (error instanceof SessionEndedError) return unauthorized('PGRST303', 'JWT session has ended')
  if (error instanceof SecondFactorMissingError) {
    return { status: 403, code: 'insufficient_aal', message: 'A second factor is needed' }
  }
  if (error instanceof BodyTooLargeError)
    return { status: 413, code: 'PGRST102', message: error.message }
  if (error instanceof BodyError) return { status: 400, code: 'PGRST102', message: error.message }
  if (error instanceof DatabaseUnavailableError) {
    return busy('PGRST001', 'Database connection error. Please try again.')
  }
  return error instanceof pg.DatabaseError ? ofDatabase(error, anonymous) : undefined
}

/** SQLSTATE to status: the longest prefix wins. Classes that only a fault of ours can cause are not in it. */
const statuses: Record<string, number> = {
  '23503': 409,
  '23505': 409,
  '25006': 405,
  '42501': 403,
  '42883': 404,
  '42P01': 404,
  P0001: 400,
  PT409: 409,
  '0A': 400,
  '21': 400,
  '22': 400,
  '23': 400,
  '42': 400,
  '54': 400,
}

function ofDatabase(error: pg.DatabaseError, anonymous: boolean): Problem | undefined {
  const code = error.code ?? ''
  // A statement that ran out of time or lost three deadlocks in a row: nothing wrong with the request itself.
  if (code === '57014' || code.startsWith('40'))
    return busy(code, 'The database is busy. Please try again.')
  const status = statuses[code] ?? statuses[code.slice(0, 2)]
  if (status === undefined) return undefined
  return {
    status: code === '42501' && anonymous ? 401 : status,
    code,
    message: error.message,
    details: error.detail ?? null,
    hint: error.hint ?? null,
    ...sentenceFor(error),
  }
}

/** What a person reads in place of the database's own words. */
function sentenceFor({ code, constraint = '', column }: pg.DatabaseError) {
  if (code === '23502') return { message: `Please give ${column} a value`, details: null }
  if (code === '23505') return uniqueSentences[constraint]
  return code === '23514' ? sentences[constraint] : undefined
}

function unauthorized(code: string, message: string): Problem {
  return { status: 401, code, message, headers: { 'WWW-Authenticate': 'Bearer' } }
}

function busy(code: string, message: string): Problem {
  return { status: 503, code, message, headers: { 'Retry-After': '2' } }
}

/** The answer for a problem. */
export function problemResponse({ status, headers, ...rest }: Problem): Response {
  const { code, details = null, hint = null, message } = rest
  return new Response(JSON.stringify({ code, details, hint, message }), {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
  })
}
