import type * as z from 'zod'
import { orThrow } from '../primitives/or-throw.ts'
import { readUpTo } from '../primitives/read-up-to.ts'

/** The body cannot be used. `status` is the same in every protocol. */
export class BodyError extends Error {
  name = 'BodyError'
  readonly status: 400 | 413 | 415
  /** Path to the wrong field of invalid JSON, for example `data.name`. */
  readonly field: string | undefined
  constructor(status: BodyError['status'], message: string, field?: string) {
    super(message)
    this.status = status
    this.field = field
  }
}

/** True for `application/json`, which a form on another site cannot send without a preflight request. */
export function hasJsonBody({ headers }: Pick<Request, 'headers'>): boolean {
  return /^application\/json *(;|$)/i.test(headers.get('content-type') ?? '')
}

/** True for the encoding of plain HTML forms. */
export function hasFormBody({ headers }: Pick<Request, 'headers'>): boolean {
  return /^application\/x-www-form-urlencoded *(;|$)/i.test(headers.get('content-type') ?? '')
}

/**
 * Reads a JSON body and checks it against a schema.
 *
 * @throws {BodyError}
 */
export async function readJsonAs<Shape extends z.ZodType>(
  request: Request,
  shape: Shape,
  maxBytes?: number,
): Promise<z.output<Shape>> {
  if (!hasJsonBody(request)) throw new BodyError(415, 'Content-Type must be application/json')
  const parsed = shape.safeParse(await readJson(request, maxBytes))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new BodyError(400, issue?.message ?? 'Invalid body', issue?.path.join('.') ?? '')
}

/** No call of the auth and table protocols is larger, bio pages included. */
export const defaultMaxBytes = 64 * 1024

const maxNesting = 32

/**
 * Reads a JSON body of at most `maxBytes` bytes without holding more than that in memory.
 *
 * @returns undefined for an empty body
 * @throws {BodyError}
 */
export async function readJson(request: Request, maxBytes = defaultMaxBytes): Promise<unknown> {
  const text = await readText(request, maxBytes)
  if (text.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new BodyError(400, 'Body is not valid JSON')
  }
  if (nestsDeeperThan(value, maxNesting)) throw new BodyError(400, 'JSON is nested too deeply')
  return value
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads a UTF-8 body of at most `maxBytes` bytes. @throws {BodyError} */
export async function readText(request: Request, maxBytes = defaultMaxBytes): Promise<string> {
  const bytes = await readBytes(request, maxBytes)
  try {
    return utf8.decode(bytes)
  } catch {
    throw new BodyError(400, 'Body is not valid UTF-8')
  }
}

/** Reads a body without ever holding more than `maxBytes` bytes. @throws {BodyError} */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const tooLarge = () => new BodyError(413, 'Request body is too large')
  const length = request.headers.get('content-length')
  if (Number(length ?? 0) > maxBytes) throw tooLarge()
  try {
    // HTTP ends a body at the length that it declares.
    if (length !== null) return Buffer.from(await request.arrayBuffer())
    return orThrow(await readUpTo(request.body ?? [], maxBytes), tooLarge)
  } catch (error) {
    // The client went away in the middle of the body: nothing reads the response.
    throw request.signal.aborted ? new BodyError(400, 'The request was aborted') : error
  }
}

function nestsDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((each) => nestsDeeperThan(each, depth - 1))
}
