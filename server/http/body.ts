import type * as z from 'zod'

/** The body is larger than its area allows: 413. */
export class BodyTooLargeError extends Error {
  name = 'BodyTooLargeError'
}

/** The body cannot be read: 400. */
export class BodyError extends Error {
  name = 'BodyError'
}

/** The body is not sent as `application/json`: 415. */
export class NotJsonError extends Error {
  name = 'NotJsonError'
}

/** The body is JSON, but not what the call takes: 400. */
export class BodyShapeError extends Error {
  name = 'BodyShapeError'
  /** Names of the object's fields on the way to the wrong one, for example `data.name`. */
  readonly field: string
  constructor(field: string, message: string) {
    super(message)
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
 * @throws {NotJsonError | BodyTooLargeError | BodyError | BodyShapeError}
 */
export async function readJsonAs<Shape extends z.ZodType>(
  request: Request,
  shape: Shape,
): Promise<z.output<Shape>> {
  if (!hasJsonBody(request)) throw new NotJsonError('Content-Type must be application/json')
  const parsed = shape.safeParse(await readJson(request))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new BodyShapeError(issue?.path.join('.') ?? '', issue?.message ?? 'Invalid body')
}

/** No call of the auth and table protocols is larger, bio pages included. */
const defaultMaxBytes = 64 * 1024

const maxNesting = 32

/**
 * Reads a JSON body of at most `maxBytes` bytes without holding more than that in memory.
 *
 * @returns undefined for an empty body
 * @throws {BodyTooLargeError | BodyError}
 */
export async function readJson(request: Request, maxBytes = defaultMaxBytes): Promise<unknown> {
  const text = await readText(request, maxBytes)
  if (text.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new BodyError('Body is not valid JSON')
  }
  if (nestsDeeperThan(value, maxNesting)) throw new BodyError('JSON is nested too deeply')
  return value
}

/** Reads a UTF-8 body of at most `maxBytes` bytes. @throws {BodyTooLargeError | BodyError} */
export async function readText(request: Request, maxBytes = defaultMaxBytes): Promise<string> {
  const bytes = await readBytes(request, maxBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new BodyError('Body is not valid UTF-8')
  }
}

/** Reads a body without ever holding more than `maxBytes` bytes. @throws {BodyTooLargeError} */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes)
    throw new BodyTooLargeError('Body is too large')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) throw new BodyTooLargeError('Body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function nestsDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((each) => nestsDeeperThan(each, depth - 1))
}
