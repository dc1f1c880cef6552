import type { Context } from '../context.ts'
import type { HttpCall } from '../http/router.ts'
import type { Person } from '../tokens/person.ts'

export type FunctionsDeps = Pick<
  Context,
  'config' | 'database' | 'tokens' | 'rateLimits' | 'visits' | 'ai' | 'billing' | 'log'
>

/** One request to a function. */
export interface FunctionCall extends HttpCall {
  deps: FunctionsDeps
}

export interface PersonFunctionCall extends FunctionCall {
  person: Person
}

export const noStore = { headers: { 'Cache-Control': 'no-store' } }
