import { readText } from '../http/body.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../postgres/database.ts'
import { personOf } from '../tokens/tokens.ts'
import { type Identity, rightsOf } from '../tokens/tokens.ts'
import { problems } from './errors.ts'
import { orThrow } from '../primitives/or-throw.ts'

/** A request that may come again after its answer was lost. */
export interface Idempotency {
  key: string
  /** Keyed digest, because a body may hold a password. Of the method, the address, the body, and the rights of the credential: it must not read another's answer. */
  request: Buffer
  /** It came before, and got this answer. */
  isReplayed: boolean
  /** A repetition learns only that the request came before. */
  keepsNoAnswer?: boolean
}

/**
 * Reads the `Idempotency-Key` of a person's request that writes: for a day, requests with one key change something once, however
 * often they come (https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/).
 *
 * @returns the request with its body still to be read, and undefined for one without a key
 * @throws {ProtocolError} 400 for a key that is empty or longer than 255 characters
 */
export async function readIdempotency(
  request: Request,
  identity: Identity,
  { maxBytes, secretBox }: { maxBytes: number; secretBox: Pick<Context['secretBox'], 'digest'> },
): Promise<{ request: Request; idempotency: Idempotency | undefined }> {
  const header = request.headers.get('idempotency-key')
  const isWrite = request.method !== 'GET' && request.method !== 'HEAD'
  if (header === null || !isWrite || identity.role !== 'authenticated')
    return { request, idempotency: undefined }
  // The draft writes the key as a string in quotes; most clients leave them out.
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header
  if (key === '' || key.length > 255)
    throw problems.body('An Idempotency-Key has 1 to 255 characters')
  const body = await readText(request, maxBytes)
  const { pathname, search } = new URL(request.url)
  const { method, headers } = request
  const rights = [...(rightsOf(identity.claims) ?? ['*'])].toSorted().join(' ')
  return {
    request: new Request(request.url, { method, headers, ...(body !== '' && { body }) }),
    idempotency: {
      key,
      request: Buffer.from(
        secretBox.digest(
          `${method} ${pathname}${search}\n${personOf(identity.claims)} ${rights}\n${body}`,
          'request',
        ),
        'hex',
      ),
      isReplayed: false,
    },
  }
}

/**
 * Does the work once: a request that came before gets the result that it got then.
 *
 * @throws {ProtocolError} 409 when that was too large to be kept, or must not be (database/code/18_programs.sql)
 */
export async function once<Result>(
  db: Transaction,
  idempotency: Idempotency,
  work: () => Promise<Result>,
): Promise<Result> {
  const { key, request } = idempotency
  const { rows } = await db.query<{ result: string | null }>(
    'select auth.begin_idempotent_request($1, $2) as result',
    [key, request],
  )
  const earlier = rows[0]?.result ?? null
  idempotency.isReplayed = earlier !== null
  if (earlier !== null) {
    return orThrow(JSON.parse(earlier) as Result | null, problems.answerNotKept)
  }
  const result = await work()
  await db.query('select auth.end_idempotent_request($1, $2)', [
    key,
    idempotency.keepsNoAnswer ? 'null' : JSON.stringify(result),
  ])
  return result
}
