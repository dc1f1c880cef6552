import type * as z from 'zod'
import type { Context } from '../context.ts'
import { readJson } from '../http/body.ts'
import type { Caller } from '../http/door.ts'
import { httpErrors } from '../http/errors.ts'
import type { Person } from '../tokens/person.ts'

interface AnybodysCall {
  request: Request
  caller: Caller
  context: Context
}

/** One request of a signed-in person, with all that a function needs to answer it. */
export interface FunctionCall extends AnybodysCall {
  person: Person
  /** Takes one call of the person's rate limit; after the body was found good, so that slips cost nothing. @throws 429 */
  takeTurn: () => void
}

export type FunctionHandler = (call: FunctionCall) => Promise<Response>

/** Of a function that needs no bearer token. */
export type AnybodysHandler = (call: AnybodysCall) => Promise<Response>

/** Reads and checks the JSON body. @throws {HttpError | BodyError | BodyTooLargeError} 400, 413 or 415 */
export async function readBody<Shape extends z.ZodType>(
  request: Request,
  shape: Shape,
): Promise<z.output<Shape>> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json *(;|$)/i.test(type)) throw httpErrors.notJson()
  const parsed = shape.safeParse(await readJson(request))
  if (parsed.success) return parsed.data
  throw httpErrors.invalid(parsed.error.issues[0]?.message ?? 'Invalid body')
}
