import pg from 'pg'
import { destinationNotice } from '#domain/links/destination-notice.ts'
import type { DestinationProblem } from '#domain/links/destinations.ts'
import { brokenExpectationDetails } from '#domain/visits/broken-expectations.ts'
import { type RuleProblem, ruleProblemSentence } from '#domain/visits/rules-reader.ts'
import {
  ApiKeyEndedError,
  MemberRoleError,
  SecondFactorMissingError,
  SessionEndedError,
} from '../postgres/begin.ts'
import { DatabaseUnavailableError } from '../postgres/database.ts'
import { BodyError } from '../http/body.ts'
import { type ErrorArgument, errorsOf } from '../http/error-catalog.ts'
import { matchError } from '../primitives/caught-error.ts'
import { ForeignAccountError } from '../tokens/tokens.ts'
import { TokenError } from '../tokens/tokens.ts'
import catalog from './problems.json' with { type: 'json' }
import { asOn, keySentences, sentences } from './sentences.ts'

interface Problem {
  status: number
  code: string
  message: string
  /** Mostly a sentence. */
  details?: unknown
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

const { none, one, two } = catalog
const create = (problem: Problem) => new ProtocolError(problem)

/**
 * Every error of this door that is not the database's own: most in problems.json, by the number of their arguments. Codes and
 * statuses are PostgREST's (https://docs.postgrest.org/en/stable/references/errors.html), so that official clients understand
 * them.
 */
export const problems = {
  ...errorsOf<typeof none, [], ProtocolError>(none, create),
  ...errorsOf<typeof one, [ErrorArgument], ProtocolError>(one, create),
  ...errorsOf<typeof two, [ErrorArgument, ErrorArgument], ProtocolError>(two, create),
  denied: (what: string, isAnonymous: boolean) =>
    create({
      status: isAnonymous ? 401 : 403,
      code: '42501',
      message: `permission denied for ${what}`,
    }),
  destination: (reason: DestinationProblem) =>
    create({ status: 400, code: '23514', ...asOn(destinationNotice(reason)) }),
  linkRules: (problem: RuleProblem, all: readonly RuleProblem[]) =>
    create({ status: 400, code: '23514', message: ruleProblemSentence(problem), details: all }),
  sentence: (message: string) => create({ status: 400, code: '23514', message }),
  /** @param broken expectations that a change would break, each with the code of its link */
  expectations: (broken: readonly { code: string; name: string }[]) => {
    const [first] = broken
    const which =
      first && broken.length === 1
        ? `the expectation “${first.name}” of /${first.code}`
        : `${broken.length} expectations`
    return create({
      status: 409,
      code: 'PT409',
      message: `This change breaks ${which}. With Prefer: expectations=ignore it is saved anyway.`,
      details: brokenExpectationDetails(broken),
      hint: 'expectation_failed',
    })
  },
}

/** Any error as the protocol says it; undefined for the unexpected, which the door logs and answers with a bare 500. */
export function toProblem(error: unknown, anonymous: boolean): Problem | undefined {
  return matchError(
    error,
    [ProtocolError, ({ problem }) => problem],
    [TokenError, ofToken],
    [ForeignAccountError, () => foreignAccount],
    [MemberRoleError, () => foreignAccount],
    [ApiKeyEndedError, () => unauthorized('PGRST303', 'API key was revoked or has expired')],
    [SessionEndedError, () => unauthorized('PGRST303', 'JWT session has ended')],
    [SecondFactorMissingError, () => secondFactorMissing],
    [BodyError, ({ status, message }) => ({ status, code: 'PGRST102', message })],
    [
      DatabaseUnavailableError,
      () => busy('PGRST001', 'Database connection error. Please try again.'),
    ],
    [pg.DatabaseError, (refusal) => ofDatabase(refusal, anonymous)],
  )
}

const foreignAccount: Problem = {
  status: 403,
  code: '42501',
  message: 'You are not a member of this account',
}

const secondFactorMissing: Problem = {
  status: 403,
  code: 'insufficient_aal',
  message: 'A second factor is needed',
}

function ofToken({ reason, message }: TokenError): Problem {
  const isOutdated = reason === 'expired' || reason === 'claims'
  return unauthorized(isOutdated ? 'PGRST303' : 'PGRST301', message)
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
  P0002: 404,
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
  // As in PostgREST, `raise sqlstate 'PT418'` names the status.
  const named = /^PT([45]\d\d)$/.exec(code)?.[1]
  const status =
    named === undefined ? (statuses[code] ?? statuses[code.slice(0, 2)]) : Number(named)
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

/** The error of one row of many, as a function collected it, with the text that people read. */
export function rowProblem(error: { code: string; constraint?: string; column?: string }) {
  const { constraint, column, ...problem } = error
  return { ...problem, ...sentenceFor({ code: error.code, constraint, column }) }
}

/** Subjects of limits of plans, or of all plans: links, links with a custom code, rows. */
export const quotas = ['links', 'custom-codes', 'rows'] as const

/** The quota that an error is about. */
export function quotaOf(error: unknown): (typeof quotas)[number] | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== 'P0001') return undefined
  if (error.hint === 'too_many_rows') return 'rows'
  if (error.message !== 'Limit Reached') return undefined
  return error.detail?.includes('"kind": "custom"') ? 'custom-codes' : 'links'
}

/** Facts of a refusal that choose its sentence. */
interface RefusalFacts {
  code?: string | undefined
  table?: string | undefined
  constraint?: string | undefined
  column?: string | undefined
}

/** By SQLSTATE, the message for people in place of the database's own words. */
const sentencesByState: Record<
  string,
  (facts: RefusalFacts) => Pick<Problem, 'message' | 'details' | 'hint'> | undefined
> = {
  // Only a bio page claims a name that its owner has to choose.
  '23502': ({ table, column }) => ({
    message: `Please give ${table === 'names' ? 'slug' : column} a value`,
    details: null,
  }),
  '23503': ({ constraint = '' }) => keySentences[constraint],
  '23505': ({ constraint = '' }) => keySentences[constraint],
  '23514': ({ constraint = '' }) => sentences[constraint],
}

function sentenceFor(facts: RefusalFacts) {
  return sentencesByState[facts.code ?? '']?.(facts)
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
